"""The numbers of a Polars column as an array, without a Python integer for each.

By the Arrow PyCapsule interface, which needs neither NumPy nor PyArrow: a capsule ``arrow_array_stream`` holds the C
structures of the Arrow C data and C stream interfaces, whose second buffer is the values of a column of numbers.
"""

from __future__ import annotations

import ctypes
from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polars import Series


class _Array(ctypes.Structure):
    """``struct ArrowArray``."""

    _fields_ = (
        ("length", ctypes.c_int64),
        ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )


class _Stream(ctypes.Structure):
    """``struct ArrowArrayStream``."""

    _fields_ = (
        ("get_schema", ctypes.c_void_p),
        ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )


_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_POINTER = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def numbers(column: Series) -> array[int]:
    """A column of 32-bit or 64-bit integers without nulls, as ``array('i')`` or ``array('q')``."""
    import polars as pl

    found = array("q" if column.dtype == pl.Int64 else "i")
    if column.dtype not in (pl.Int64, pl.Int32) or column.null_count():
        raise TypeError(f"a column of {column.dtype} with {column.null_count()} nulls is no plain column of integers")
    capsule = column.__arrow_c_stream__(None)
    stream = ctypes.cast(_POINTER(capsule, b"arrow_array_stream"), ctypes.POINTER(_Stream)).contents
    while True:
        piece = _Array()
        if stream.get_next(ctypes.addressof(stream), ctypes.addressof(piece)):
            raise OSError("the column cannot be read")
        if not piece.release:
            return found
        try:
            if piece.length:
                begin = (piece.buffers[1] or 0) + piece.offset * found.itemsize
                found.frombytes((ctypes.c_char * (piece.length * found.itemsize)).from_address(begin))
        finally:
            _RELEASE(piece.release)(ctypes.addressof(piece))
