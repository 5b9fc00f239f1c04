"""Our control tables against those of rustypot, which were written from the same servos by others."""

import pytest

from gearwright.hardware.protocols import dynamixel_table, feetech_table
from gearwright.hardware.protocols.registers import READ_ONLY

rustypot = pytest.importorskip("rustypot")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(feetech_table, rustypot.Sts3215PyController), (dynamixel_table, rustypot.Xl430PyController)],
    ids=["feetech", "dynamixel"],
)
def test_addresses_sizes_and_access(ours, theirs):
    table = {row.address: row for row in ours.TABLE}
    for row in theirs.registers():
        assert row.addr in table, row.name
        assert table[row.addr].size == row.size, row.name
        assert (table[row.addr].kind == READ_ONLY) == (str(row.access) == "RegisterAccess.Read"), row.name
