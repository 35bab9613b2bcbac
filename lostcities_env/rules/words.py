"""Eight bytes at a time: the three machine operations that Numba has no name for.

Masks are written and searched word by word; that halves the time of a turn. A word holds eight
consecutive mask bytes, the first in its lowest bits (all platforms that Numba supports are little-endian).
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_BYTE = ir.IntType(8)
_WORD = ir.IntType(64)


def _word_pointer(context: Any, builder: Any, array_type: Any, array: Any, offset: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    bytes_ = builder.bitcast(data, _BYTE.as_pointer())
    return builder.bitcast(builder.gep(bytes_, [offset]), _WORD.as_pointer())


def _load_word(_context: Any, array: Any, offset: Any) -> Any:
    """``load_word(array, offset)``: bytes offset..offset+7 of an int8 array (n,), as uint64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _word_pointer(context, builder, signature.args[0], args[0], args[1])
        load = builder.load(pointer)
        load.align = 1
        return load

    return types.uint64(array, types.int64), generate


def _store_word(_context: Any, array: Any, offset: Any, word: Any) -> Any:
    """``store_word(array, offset, word)``: writes bytes offset..offset+7 of an int8 array (n,)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _word_pointer(context, builder, signature.args[0], args[0], args[1])
        builder.store(args[2], pointer).align = 1
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64), generate


def _trailing_zeros(_context: Any, word: Any) -> Any:
    """``trailing_zeros(word)``: index of the lowest bit that is set in a uint64 other than 0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


load_word: Any = intrinsic(_load_word)
store_word: Any = intrinsic(_store_word)
trailing_zeros: Any = intrinsic(_trailing_zeros)

ONE = np.uint64(1)
WORD_BYTES = 8
