"""The error rates of Ohm-GPU's channel compared with those in the paper's Fig. 20b."""

import pytest

import memsim
from memsim.systems import ohm
from validation import document

# Where, mode, platform, statistic, the paper's rate. The receiver's noise is chosen for the first.
RATES = [
    ("plain route", "planar", "ohm-base", "ber", 7.2e-16),
    ("auto-read/write", "two-level", "ohm-wom", "ber_snarfed", 6.1e-16),
    ("swap", "planar", "ohm-wom", "ber_swap", 9.9e-16),
    ("worst", "planar", "ohm-bw", "worst_ber", 9.3e-16),
]


def test_error_rates_beside_the_papers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    root = memsim.Root()
    root.channel = [ohm.optics.channel(mode, platform) for _, mode, platform, _, _ in RATES]
    with memsim.Simulation(root):
        ours = [getattr(channel.stats, statistic) for channel, (*_, statistic, _) in zip(root.channel, RATES)]
        document.table(
            "Optics: bit errors",
            "Bit-error rates of Ohm-GPU's routes",
            ["route", "mode", "platform", "paper", "ours", "%"],
            [
                [route, mode, platform, f"{paper:.1e}", f"{rate:.1e}", document.percent(rate, paper, 20)]
                for rate, (route, mode, platform, _, paper) in zip(ours, RATES)
            ],
        )
        assert ours[0] == pytest.approx(7.2e-16, rel=0.01)
