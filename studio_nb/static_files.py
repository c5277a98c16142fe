"""The built front end: the loader that every widget carries, and the bundle.

Read once a process, when the first widget is made.
"""

import functools
import hashlib
import pathlib
import zlib

FOLDER = pathlib.Path(__file__).parent / "static"
_FILES = ("loader.js", "widget.css", "widget.js")
_ZLIB_LEVEL = 9


def _read(name: str) -> bytes:
    try:
        return (FOLDER / name).read_bytes()
    except FileNotFoundError:
        msg = (
            f"studio_nb's front end is not built ({FOLDER / name} is missing): run "
            "'npm ci && npm run build' in js/, or install the package from a wheel"
        )
        raise ImportError(msg) from None


@functools.cache
def loader() -> str:
    """Returns the ES module that becomes `_esm`: a few kB."""
    return _read("loader.js").decode()


@functools.cache
def stylesheet() -> str:
    """Returns the CSS."""
    return _read("widget.css").decode()


@functools.cache
def bundle() -> tuple[str, bytes]:
    """Returns the hash (32 hex digits) and the zlib-compressed ES module."""
    module = _read("widget.js")
    digest = hashlib.blake2b(module, digest_size=16).hexdigest()
    return digest, zlib.compress(module, _ZLIB_LEVEL)
