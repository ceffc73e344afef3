"""One run at a time writes what was proved. Each of them reads formal/status.csv, changes its own tasks' rows and writes all; without a lock the rows
of whoever wrote in between would be lost."""
import contextlib
import fcntl
import os


@contextlib.contextmanager
def writing(path):
    """Holds the lock of the folder in which `path` is, for as long as the block takes; who must wait says so once. It ends with the process that
    holds it, however that ends."""
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"# another run writes {path}: this one waits for it", flush=True)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
