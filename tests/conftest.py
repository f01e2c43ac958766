"""Shared by all tests: the closing line, and the default handling of SIGINT."""

import signal

# A background job inherits an ignored SIGINT, and memsim does not change an ignored signal. With a
# handler here, the processes that tests start have the default.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure(config):
    if not (reporter := config.pluginmanager.get_plugin("terminalreporter")):
        return
    passed, failed, skipped = (
        sum(len(reporter.stats.get(kind, ())) for kind in kinds)
        for kinds in (("passed",), ("failed", "error"), ("skipped",))
    )
    print(f"{passed} passed, {failed} failed" + f", {skipped} skipped" * bool(skipped))
