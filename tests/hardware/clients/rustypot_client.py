"""rustypot as it is on PyPI: the STS3215 controller. Arguments: the port."""

import json
import sys
import time

from rustypot import Sts3215PyController

arm = Sts3215PyController(serial_port=sys.argv[1], baudrate=1_000_000, timeout=2.0)
ids = [1, 2, 3, 4, 5, 6]
pings = [arm.ping(i) for i in ids]
models = arm.sync_read_model_number(ids)
arm.sync_write_torque_enable(ids, [True] * 6)
arm.sync_write_goal_position(ids, [0.4, 0.0, 0.0, 0.0, -0.3, 0.5])
end = time.monotonic() + 20.0
while time.monotonic() < end and abs(arm.sync_read_present_position(ids)[5] - 0.5) > 0.005:
    time.sleep(0.05)
time.sleep(0.3)
print(
    json.dumps(
        {
            "pings": pings,
            "models": list(models),
            "positions": list(arm.sync_read_present_position(ids)),
            "temperature": list(arm.sync_read_present_temperature(ids)),
        }
    )
)
