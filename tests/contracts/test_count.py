"""A kind is named in its file, in its row, and where an argument says why: `make count` prints the same."""

from __future__ import annotations

import pytest

from tests.contracts.count_places import ARGUED, SAMPLES, SOURCE, Sample, places


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: s.names[0])
def test_places(sample: Sample) -> None:
    assert (SOURCE / sample.file).is_file() and (SOURCE / sample.table).is_file()
    assert places(sample) == {*sample.argued}
    assert {*sample.argued} <= {*ARGUED}
