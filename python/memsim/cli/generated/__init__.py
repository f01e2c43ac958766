"""Text that the package generates about itself: type stubs, the page of Python functions, tables of assumptions."""
