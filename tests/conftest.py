"""What all tests share: the closing line."""


def pytest_unconfigure(config):
    if not (reporter := config.pluginmanager.get_plugin("terminalreporter")):
        return
    passed, failed = (
        sum(len(reporter.stats.get(kind, ())) for kind in kinds)
        for kinds in (("passed",), ("failed", "error"))
    )
    print(f"{passed} passed, {failed} failed")
