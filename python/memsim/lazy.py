"""Modules of a package that are imported when somebody asks for them: a run needs few of them."""
import importlib.util


def module_of(package, name):
    """The module `name` of the package, or None if it has none."""
    full = f"{package}.{name}"
    return importlib.import_module(full) if importlib.util.find_spec(full) else None


def modules_when_asked(package):
    """The __getattr__ of such a package."""

    def look_up(name):
        if module := module_of(package, name):
            return module
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return look_up
