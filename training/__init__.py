"""Scripts that learn."""

import os

# Before torch is imported: its idle threads then sleep rather than spin. When other programs want the cores
# too, two spinning threads can be ten times as slow as one (measured: 415 turns a second instead of 4,700).
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
