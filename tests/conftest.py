import os

from hypothesis import settings

# The first example of a property compiles the kernels that it calls, which takes seconds.
settings.register_profile("lostcities", deadline=None)
settings.load_profile("lostcities")

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # windows are opened, but nobody sees them
