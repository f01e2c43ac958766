"""Modules of a package that are imported when somebody asks for them: a run needs few of them."""
import importlib
import pkgutil


def module_of(package, path, name):
    """The module `name` of the package, or None if it has none."""
    if any(name == found.name for found in pkgutil.iter_modules(path)):
        return importlib.import_module(f".{name}", package)
    return None


def modules_when_asked(package, path):
    """The __getattr__ of such a package."""
    def look_up(name):
        if module := module_of(package, path, name):
            return module
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return look_up
