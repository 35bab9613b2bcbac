from hypothesis import settings

# The first example of a property compiles the kernels that it calls, which takes seconds.
settings.register_profile("lostcities", deadline=None)
settings.load_profile("lostcities")
