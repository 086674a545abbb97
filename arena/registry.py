"""Versioned registries: games, roles, curricula, estimators are found by name, from anywhere, without editing a list.

An item registers itself where it is defined. A registry refuses duplicates and, when it misses, lists the nearest
known names. Built-in items live in one package that the registry imports on the first look-up; other distributions
join through entry points of the group ``ludus.<kind>``; a campaign's ``extend`` adds files.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from arena.errors import ConfigError, unknown_name

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to factories of one kind of item.

    Args:
        kind: the singular in messages and in the entry-point group, for example ``game``.
        package: the package whose modules hold the built-in items.
    """

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self._package = package
        self._factories: dict[str, Callable[..., T]] = {}
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

    def names(self) -> list[str]:
        """Returns every known name, sorted."""
        self._load()
        return sorted(self._factories)

    def factory(self, name: str, where: str = "") -> Callable[..., T]:
        """Returns the factory filed under ``name``.

        Raises:
            UnknownNameError: nothing is filed under it; the message lists the nearest names.
        """
        self._load()
        if name not in self._factories:
            raise unknown_name(where or self.kind, name, self._factories)
        return self._factories[name]

    def make(self, name: str, /, **knobs: object) -> T:
        """Builds the item filed under ``name`` with its own knobs."""
        return self.factory(name)(**knobs)

    def __contains__(self, name: object) -> bool:
        """Whether ``name`` is known."""
        self._load()
        return name in self._factories

    def __iter__(self) -> Iterator[str]:
        """Iterates over the names, sorted."""
        return iter(self.names())

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__, f"{self._package}."):
            importlib.import_module(module.name)
        for point in entry_points(group=f"ludus.{self.kind}"):
            self.register(point.name)(point.load())
