import numpy as np
import pytest

from benchmarks.value_calibration import calibrate, main
from lostcities_env.agents import make


def test_the_champion_knows_itself() -> None:
    rows = calibrate(("champion", "champion"), make("champion"), games=100, seed=1)
    assert [(row.part, row.agent) for row in rows] == [
        (part, agent) for part in range(4) for agent in range(2)
    ]
    errors = np.array([row.error for row in rows])
    assert (np.diff(errors[::2]) < 0).all(), "the end comes nearer"
    last = rows[-1]
    assert last.error < last.deviation / 2
    assert last.slope == pytest.approx(1, abs=0.1)
    assert last.correlation > 0.9


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    main(["quick", "greedy", "--games", "4"])
    assert len(capsys.readouterr().out.splitlines()) == 10
    with pytest.raises(SystemExit):
        main(["greedy", "quick"])
    assert "GreedyAgent has no values" in capsys.readouterr().err
