"""SDFormat: worlds, models, links, joints, sensors."""
