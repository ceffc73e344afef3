/// JSON in a file that a user names.
#ifndef WEIR_SIM_JSON_FILE_H
#define WEIR_SIM_JSON_FILE_H

#include <stddef.h>

#include <jansson.h>

/// Reads the JSON in the file `path`, with flags of json_loadf. NULL and what is wrong if there is none: `wrong->line` is -1, and `wrong->text`
/// says why, if the file cannot be read (it is not there, it is a directory) or is empty. Freed with json_decref.
json_t *json_file_read(const char *path, size_t flags, json_error_t *wrong);

#endif
