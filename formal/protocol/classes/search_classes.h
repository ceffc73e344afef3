/// `protocol classes ..`: searches every state of two nodes that read from each other through two switches and a spine that push back.
#ifndef WEIR_PROTOCOL_SEARCH_CLASSES_H
#define WEIR_PROTOCOL_SEARCH_CLASSES_H

/// The program's exit code.
int search_classes(int argc, char **argv);

#endif
