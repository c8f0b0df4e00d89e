"""Load compiled code without what only compiling needs.

Beside a function's machine code the cache has its bitcode, for functions that are compiled later and take it in. Numba
reads it as soon as the function is loaded, which takes four times as long as the machine code, and is hardly ever of
use: where all is in the cache nothing is compiled. Here it is read when somebody asks for it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding  # type: ignore[import-untyped]
from numba.core.caching import CompileResultCacheImpl
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult


class KernelCode(CompileResultCacheImpl):
    """How results of compilation become files and come back."""

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        """Return the result that a file has."""
        result: Any = CompileResult
        loader = _Loader(target_context, payload[1])
        return result._rebuild(loader, *payload)._replace(target_context=target_context)


class LoadedLibrary(JITCodeLibrary):
    """The code of one function and its parts, of which the bitcode is read late."""

    bitcode: bytes

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = binding.parse_bitcode(self.bitcode)
        return self._shared_module


class _Loader:
    """A target context that reads libraries in this way, and is the given one in all else."""

    def __init__(self, context: Any, description: Any) -> None:
        self._context, self._description = context, description

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def codegen(self) -> _Loader:
        return self

    def unserialize_library(self, data: tuple[str, str, tuple[bytes, bytes]]) -> Any:
        name, _, (machine_code, bitcode) = data
        codegen = self._context.codegen()
        kind: Any = LoadedLibrary
        library = kind(codegen, name)
        library.bitcode = bitcode
        library.enable_object_caching()
        library._set_compiled_object(machine_code)
        library._finalize_final_module()
        # Numba would gather the names of all parts, for a look at the one that Python calls.
        codegen._engine._defined_symbols.add(self._description.llvm_cpython_wrapper_name)
        return library
