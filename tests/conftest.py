"""What all tests share: the closing line, and signals as a terminal would deliver them."""

import signal

# A background job inherits an ignored SIGINT, and memsim leaves ignored what it finds ignored. A
# handler here becomes the default in the processes that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure(config):
    if not (reporter := config.pluginmanager.get_plugin("terminalreporter")):
        return
    passed, failed, skipped = (
        sum(len(reporter.stats.get(kind, ())) for kind in kinds)
        for kinds in (("passed",), ("failed", "error"), ("skipped",))
    )
    print(f"{passed} passed, {failed} failed" + f", {skipped} skipped" * bool(skipped))
