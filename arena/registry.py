"""Versioned registries: games, roles, curricula, estimators are found by name, from anywhere, without editing a list.

An item registers itself where it is defined. A registry refuses duplicates and, when it misses, lists the nearest
known names. Built-in items live in packages that the registry imports on the first look-up; other distributions
join through entry points of the group ``ludus.<kind>``; a campaign's ``extend`` adds files.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from arena.errors import ConfigError, unknown_name

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to factories of one kind of item.

    A *family* is a whole library's items under one prefix (``openspiel/leduc_poker-v0``): they are made when they are
    named, and ``names`` does not list them.

    Args:
        kind: the singular in messages and in the entry-point group, for example ``game``.
        packages: the packages whose modules hold the built-in items.
    """

    def __init__(self, kind: str, *packages: str) -> None:
        self.kind = kind
        self._packages = packages
        self._factories: dict[str, Callable[..., T]] = {}
        self._families: dict[str, Callable[[str], T]] = {}
        self._loaded = False

    def register(self, name: str) -> Callable[[Callable[..., T]], Callable[..., T]]:
        """Returns a decorator that files a factory (usually a class) under ``name``.

        Raises:
            ConfigError: ``name`` is taken by another factory.
        """

        def file(factory: Callable[..., T]) -> Callable[..., T]:
            known = self._factories.get(name)
            if known is not None and (known.__module__, known.__qualname__) != (
                factory.__module__,
                factory.__qualname__,
            ):
                raise ConfigError(
                    f"{self.kind} registry: expected a new name, got {name!r}, which {known.__module__} registered; "
                    "choose another name or raise the version"
                )
            self._factories[name] = factory
            return factory

        return file

    def family(self, prefix: str) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
        """Returns a decorator that files a function under ``prefix``; it makes ``prefix/REST`` from ``REST``."""

        def file(make: Callable[[str], T]) -> Callable[[str], T]:
            self._families[prefix] = make
            return make

        return file

    def names(self) -> list[str]:
        """Returns every known name, sorted; those of families are not listed."""
        self._load()
        return sorted(self._factories)

    def families(self) -> dict[str, str]:
        """Returns the first line of the documentation of each family, by prefix."""
        self._load()
        return {
            prefix: (inspect.getdoc(self._families[prefix]) or "").partition("\n")[0]
            for prefix in sorted(self._families)
        }

    def newest(self, name: str, where: str = "") -> str:
        """Returns the full name for one that may lack its version; the newest version is taken.

        Raises:
            UnknownNameError: nothing is filed under it; the message lists the nearest names.
        """
        if name in self:
            return name
        versions = [one for one in self.names() if one.rpartition("-v")[0] == name]
        if not versions:
            raise unknown_name(where or self.kind, name, self._factories)
        return max(versions, key=lambda one: int(one.rpartition("-v")[2]))

    def factory(self, name: str, where: str = "") -> Callable[..., T]:
        """Returns the factory filed under ``name``.

        Raises:
            UnknownNameError: nothing is filed under it; the message lists the nearest names.
        """
        self._load()
        if name in self._factories:
            return self._factories[name]
        prefix, slash, rest = name.partition("/")
        if slash and prefix in self._families:
            return partial(self._families[prefix], rest)
        raise unknown_name(where or self.kind, name, [*self._factories, *(f"{one}/NAME" for one in self._families)])

    def make(self, name: str, /, **knobs: object) -> T:
        """Builds the item filed under ``name`` with its own knobs."""
        return self.factory(name)(**knobs)

    def __contains__(self, name: object) -> bool:
        """Whether ``name`` is known, or belongs to a known family."""
        self._load()
        return name in self._factories or (isinstance(name, str) and name.partition("/")[0] in self._families)

    def __iter__(self) -> Iterator[str]:
        """Iterates over the names, sorted."""
        return iter(self.names())

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        for name in self._packages:
            package = importlib.import_module(name)
            for module in pkgutil.iter_modules(package.__path__, f"{name}."):
                importlib.import_module(module.name)
        for point in entry_points(group=f"ludus.{self.kind}"):
            self.register(point.name)(point.load())
