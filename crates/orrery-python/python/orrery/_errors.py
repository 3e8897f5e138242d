"""Exceptions and warnings, each of which is also the built-in one that fits."""


class Error(Exception):
    """The base of all errors of Orrery; its text says what is wrong, where, and what to do."""


class InputError(Error, ValueError):
    """An argument or the content of a file is wrong; the text has the file, the line and the column."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class MachineError(Error, OSError):
    """A machine failed while it measured."""


class ServiceError(Error, OSError):
    """A service of monitoring cannot be reached, or refuses a request."""


class InternalError(Error, RuntimeError):
    """A fault of the library; please report it."""


class OrreryWarning(UserWarning):
    """A remark on an input that is used all the same."""
