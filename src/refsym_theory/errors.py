"""The error that every input of the user's can raise."""


class InputError(ValueError):
    """Bad input: one line that says what is wrong, where, and what to do about it.

    The command prints the message alone, without a traceback, and exits with status 2.
    """
