"""Options of a command line."""


def option_words(options):
    """The command line's words for options by name: True stands alone, False is left out, a list is repeated."""
    found = []
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            if one is True:
                found.append(f"--{name}")
            elif one is not False:
                found += [f"--{name}", str(one)]
    return found
