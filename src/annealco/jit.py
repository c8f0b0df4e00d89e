"""Compile kernels: cached on disk, without the interpreter's lock, and mostly without reference counts.

Kernels pass named tuples of some twenty arrays to each other. By default Numba counts references to all of them up and
down at every call, atomically, as soon as a loop is involved: several hundred times the work of reading one number.
Kernels and their parts allocate nothing, and their callers keep all arrays alive, so they are compiled without that
runtime; one that tries to allocate does not compile. What must allocate is `compiled`.

Numba's own cache is not safe where two processes compile the same function for different types at once: both may take
the same file for their code, and the next process would run one with the types of the other. It also does not notice
when a function that another file calls has changed. `KernelCache` mends both.

Nor are the names inside the code safe. Numba numbers what it compiles in each process from 1, and the linker takes what
has one name for the same: two functions of the cache that different processes compiled may each have brought along a
sort of their own, numbered alike, and the one would run the other's. So here every process begins at a number of its
own.

A program that finds all it needs in the cache must start quickly. So nobody looks for a function's files before it is
called (most are parts that were compiled into their callers), and loading does not prepare what only compiling needs
(`annealco.kernel_library` does the same within a file).
"""

from __future__ import annotations

import hashlib
import itertools
import os
import pickle
import secrets
import uuid
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.core import cgutils
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.dispatcher import Dispatcher
from numba.core.runtime.nrt import rtsys
from numba.extending import intrinsic

from annealco.kernel_library import KernelCode

Function = TypeVar("Function", bound=Callable[..., Any])

at: Callable[[Any], Any] = np.uint64
"""A signed index may count from the end, and kernels ask so at every access, for a third of the time of one that does
little else: ``array[at(k)]`` does not ask. It is for indices only: arithmetic with signed numbers makes floats."""

DAMAGED = (pickle.UnpicklingError, EOFError, ValueError, TypeError, LookupError, AttributeError, ImportError)
"""What reading a file of compiled code that was cut short may raise."""

BARE: dict[str, Any] = {"no_cfunc_wrapper": True, "_nrt": False}
"""Options of what does not allocate; the last is Numba's own name for its runtime of reference counts."""


def _number_anew() -> None:
    """Begin the numbers in names of compiled code where no other process does."""
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(62))


_number_anew()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_number_anew)


def kernel(function: Function) -> Function:
    """Compile a function that works on given arrays."""
    return _compile(function, BARE)


def part(function: Function) -> Function:
    """Compile a function that kernels call, and tests."""
    return _compile(function, BARE)


def inlined(function: Function) -> Function:
    """Compile a small part into each of its callers: passing the arrays on would take longer than it runs."""
    return _compile(function, BARE | {"forceinline": True})


def compiled(function: Function) -> Function:
    """Compile a function that may make arrays."""
    return _compile(function, {})


def compiled_with(**options: Any) -> Callable[[Function], Function]:
    """Compile a function that may make arrays, with further options of Numba's."""
    return partial(_compile, options=options)


def _prefetch(_: Any, array: Any, row: Any) -> Any:
    # What only compiling needs is not imported before.
    from numba.np.arrayobj import make_array

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = make_array(signature.args[0])(context, builder, arguments[0])
        number = context.cast(builder, arguments[1], signature.args[1], types.intp)
        distance = builder.mul(number, cgutils.unpack_tuple(builder, whole.strides)[0])
        address = builder.gep(builder.bitcast(whole.data, cgutils.voidptr_t), [distance])
        kinds = [cgutils.voidptr_t, *[cgutils.int32_t] * 3]
        form = ir.FunctionType(ir.VoidType(), kinds)
        function = builder.module.declare_intrinsic("llvm.prefetch", kinds[:1], form)
        # The options say: to read, to be kept in all caches, data.
        builder.call(function, [address, *(cgutils.int32_t(value) for value in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, row), generate


prefetch: Callable[[Any, Any], None] = intrinsic(_prefetch)
"""``prefetch(array, row)`` in a kernel asks for the start of a row that is read some hundred steps later, as long as
memory takes. The row need not be read in the end, and one outside the array does no harm."""


def _compile(function: Function, options: dict[str, Any]) -> Function:
    dispatcher = njit(nogil=True, **options)(function)
    dispatcher._cache = LazyCache(function, allocates=options.get("_nrt", True))
    return cast("Function", dispatcher)


def num_compiled() -> int:
    """Return how many functions this process has compiled, rather than loaded."""
    return LazyCache.num_compiled


def kernel_folder(function: Callable[..., Any]) -> Path | None:
    """Return where the code of a compiled function is kept, None where no folder can be written to."""
    cache: LazyCache = cast("Any", function)._cache
    return cache.cache_path


class LazyCache(NullCache):
    """The cache of a function, opened at its first call."""

    num_compiled: ClassVar[int] = 0

    def __init__(self, function: Callable[..., Any], *, allocates: bool) -> None:
        self._function, self._allocates = function, allocates

    @cached_property
    def opened(self) -> NullCache | FunctionCache:
        """The files, or nothing where no folder can be written to: then every process compiles for itself."""
        try:
            return KernelCache(self._function)
        except RuntimeError:
            return NullCache()

    @property
    def cache_path(self) -> Path | None:
        """The folder of the files."""
        return cast("Path | None", self.opened.cache_path)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the code for these types, None where it must be compiled."""
        if self._allocates:
            rtsys.initialize(target_context)
        return self.opened.load_overload(signature, target_context)

    def save_overload(self, signature: Any, data: Any) -> None:
        """Count and keep what was compiled."""
        LazyCache.num_compiled += 1
        self.opened.save_overload(signature, data)


class KernelCache(FunctionCache):
    """Numba's cache, with files that no two processes share and keys that depend on all code that is called."""

    _impl_class = KernelCode

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        theirs = self._cache_file
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, theirs._source_stamp)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        # Numba would import all it can compile, and with it much of SciPy, for a fifth of a second; the compiler does
        # so for itself.
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, target_context)

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        code = hashlib.sha256()
        for line in _lines_of_code(self._py_func, set()):
            code.update(line.encode())
        return (*super()._index_key(signature, codegen), code.hexdigest(), _field_names(signature))

    def _save_overload(self, signature: Any, data: Any) -> None:
        # A full disk costs the next process a compilation, nothing else.
        try:
            super()._save_overload(signature, data)
        except OSError:
            self.disable()


class _Files(IndexDataCacheFile):
    """Files of compiled code with names of their own."""

    def _data_name(self, number: int) -> str:
        return f"{self._index_name.removesuffix('.nbi')}.{number}-{uuid.uuid4().hex[:16]}.nbc"

    def _load_index(self) -> Any:
        # A file that a full disk or a power cut left short is as good as none: the next compilation writes it anew.
        try:
            return super()._load_index()
        except DAMAGED:
            return {}

    def _load_data(self, name: str) -> Any:
        try:
            return super()._load_data(name)
        except DAMAGED as error:
            raise OSError(f"{name} is damaged") from error


def _lines_of_code(function: Callable[..., Any], seen: set[str]) -> list[str]:
    """Return a description of a function, of the numbers it reads and of all compiled functions it calls."""
    name = f"{function.__module__}.{function.__qualname__}"
    if name in seen:
        return []
    seen.add(name)
    lines, names = [name], list[str]()
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        # Comprehensions are code among the constants, with an address in their name.
        inner = [each for each in code.co_consts if isinstance(each, CodeType)]
        plain = [each for each in code.co_consts if not isinstance(each, CodeType)]
        codes += inner
        names += code.co_names
        lines += [code.co_code.hex(), repr(plain), repr(code.co_names)]
    for used in names:
        value = function.__globals__.get(used)
        if isinstance(value, Dispatcher):
            lines += _lines_of_code(value.py_func, seen)
        elif isinstance(value, bool | int | float | str | tuple):
            lines.append(f"{used}={value!r}")
    return lines


def _field_names(kind: Any) -> Any:
    """Return the names of the fields of all named tuples in a signature: code knows them by place."""
    if isinstance(kind, tuple):
        return tuple(map(_field_names, kind))
    inner = tuple(map(_field_names, getattr(kind, "types", ())))
    return (getattr(kind, "fields", ()), inner)
