"""The program of the worker processes of a local machine."""

import sys

from orrery._native import serve_worker

if __name__ == "__main__" and not serve_worker():
    sys.exit("orrery._worker: this program is started by a local machine")
