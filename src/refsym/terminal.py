"""What may be written to a terminal."""


def printable(text: str) -> str:
    """One line without control characters, whatever a file name or a field of a dump holds."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
