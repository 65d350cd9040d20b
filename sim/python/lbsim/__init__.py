# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios of lbsim from Python: run them, look at their results as arrays, try a policy.

    import lbsim
    run = lbsim.run("scenarios/imbalance_sweep.json", {"platform.nodes": 4, "graph.degree": 2})
    run["workload.imbalance"]                     # the swept values, a list with one for each point
    run.metric("time_per_iteration_s")            # array [point, replicate], where the simulator has it: no copy
    run.mean("time_per_iteration_s")              # array [point]

A policy in Python is for trying out, and slow: it is called back for every decision of every node, and takes some tenths of a
millisecond each where C takes microseconds (`lbsim init policy NAME` begins one in C):

    @lbsim.policy
    def mine(cores, busy, owned):                 # of one node: arrays over its workers
        return lbsim.share(cores, busy + 0.5)     # cores of each, at least 1, `cores` together
    lbsim.run("my_case.json", {"system.name": "python"})

Needs python3-cffi and python3-numpy."""
import json
import os
import re

import cffi
import numpy

_here = os.path.dirname(os.path.abspath(__file__))
_ffi = cffi.FFI()
if not os.path.exists(os.path.join(_here, "interface.h")):
    raise ImportError(f"'{_here}' is the source, not built: set PYTHONPATH=build/release/python, and work in another folder")
with open(os.path.join(_here, "interface.h"), encoding="utf-8") as _header:
    _text = re.sub(r"/\*.*?\*/", "", _header.read().split("/* begin */")[1].split("/* end */")[0], flags=re.S)
_ffi.cdef(_text)
_lib = _ffi.dlopen(os.path.join(_here, "liblbsim.so"))
__version__ = _ffi.string(_lib.lbsim_version()).decode()
METRICS = [_ffi.string(_lib.lbsim_metric_name(i)).decode() for i in range(_lib.lbsim_nmetric())]


class Error(Exception):
    """What lbsim would have said on its standard error."""


def _failed():
    return Error(_ffi.string(_lib.lbsim_error()).decode(errors="replace"))


class _Memory:
    """Memory of the simulator, for numpy, with what keeps it alive."""

    def __init__(self, pointer, shape, dtype, strides=None, keep=None):
        self.keep = keep
        self.__array_interface__ = {"data": (int(_ffi.cast("intptr_t", pointer)), True), "shape": shape, "strides": strides,
                                    "typestr": numpy.dtype(dtype).str, "version": 3}


def _array(*memory, **more):
    """The memory at a pointer as an array that cannot be written."""
    return numpy.asarray(_Memory(*memory, **more))


class Run:
    """A scenario that was simulated. Its arrays are those of the simulator: they keep it alive."""

    def __init__(self, file, settings=None, jobs=1):
        words = [_ffi.new("char[]", f"{path}={_value(value)}".encode()) for path, value in (settings or {}).items()]
        pointer = _lib.lbsim_open(os.fsencode(file), _ffi.new("char *[]", words), len(words))
        if pointer == _ffi.NULL:
            raise _failed()
        self._run = _ffi.gc(pointer, _lib.lbsim_close)
        self.npoint = _lib.lbsim_npoint(pointer)
        self.nreplicate = _lib.lbsim_nreplicate(pointer)
        self.columns = [_ffi.string(_lib.lbsim_column(pointer, c)).decode() for c in range(_lib.lbsim_ncolumn(pointer))]
        _raised.clear()
        status = _lib.lbsim_simulate(pointer, jobs)
        if _raised:
            raise _raised[0]
        if status < 0:
            raise _failed()

    def __getitem__(self, path):
        """The values of a swept path, a list with one for each point."""
        column = self.columns.index(path)
        texts = [_ffi.string(_lib.lbsim_value(self._run, p, column)).decode() for p in range(self.npoint)]
        return [_read(text) for text in texts]

    def metric(self, name):
        """A metric of all runs: array [point, replicate]; NaN where it has no meaning, or a run was not needed for a precision."""
        if name not in METRICS:
            raise KeyError(name)
        stride = _ffi.new("int64_t *")
        first = _lib.lbsim_metrics(self._run, stride) + METRICS.index(name)
        return _array(first, (self.npoint, self.nreplicate), float, (stride[0] * self.nreplicate, stride[0]), keep=self._run)

    def mean(self, name):
        """Its mean over replicates: array [point]."""
        return self.metric(name).mean(axis=1, where=self._done())

    def iterations(self, point=0, replicate=0):
        """Seconds of each iteration of one run."""
        self._check(point, replicate)
        count = _ffi.new("int32_t *")
        pointer = _lib.lbsim_iterations(self._run, point, replicate, count)
        return _array(pointer, (count[0],), float, keep=self._run)

    def busy(self, point=0, replicate=0):
        """Busy cores [sample, worker] of one run, with output.series_s and output.workers set."""
        return self._series(_lib.lbsim_busy, point, replicate, numpy.float32)

    def owned(self, point=0, replicate=0):
        """Owned cores, likewise."""
        return self._series(_lib.lbsim_owned, point, replicate, numpy.int32)

    def _done(self):
        """Which runs there are: array [point, replicate]."""
        return ~numpy.isnan(self.metric("tasks"))

    def _check(self, point, replicate):
        if not (0 <= point < self.npoint and 0 <= replicate < self.nreplicate and self._done()[point, replicate]):
            raise IndexError(f"point {point}, replicate {replicate} of {self.npoint} and {self.nreplicate}")

    def _series(self, function, point, replicate, dtype):
        self._check(point, replicate)
        shape = _ffi.new("int32_t[2]")
        pointer = function(self._run, point, replicate, shape, shape + 1)
        if pointer == _ffi.NULL:
            raise Error("there is no time series: set output.series_s and output.workers")
        return _array(pointer, (shape[0], shape[1]), dtype, keep=self._run)


def run(file, settings=None, jobs=1):
    """Simulate every point of a scenario; settings: {"path": value}, as --set. Raises Error."""
    return Run(file, settings, jobs)


def _value(value):
    return value if isinstance(value, str) else json.dumps(value)


def _read(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def share(cores, weight):
    """`cores` in proportion to weights, at least 1 each: an array of whole numbers with that sum."""
    weight = numpy.maximum(numpy.asarray(weight, float), 1e-9)
    given = numpy.ones(len(weight), int)
    for _ in range(cores - len(weight)):
        given[numpy.argmax(weight / given)] += 1
    return given


def _whole(answer, nworker):
    """What a policy answered, as int32: a whole number of cores for each worker."""
    cores = numpy.asarray(answer)
    found = f"the policy answered {answer!r}, allowed are {nworker} whole numbers of cores, one for each worker"
    if cores.size != nworker or cores.dtype.kind not in "iuf":
        raise ValueError(found)
    if not numpy.all(numpy.isfinite(cores) & (numpy.abs(cores) < 2**31) & (cores == numpy.floor(cores))):
        raise ValueError(found)
    return numpy.ascontiguousarray(cores.reshape(nworker), numpy.int32)


_raised = []
_callback = None


def policy(function):
    """Make function(cores, busy, owned) the policy of system "python": of each node, cores for its workers."""
    global _callback

    @_ffi.callback("lbsim_decide", error=-1)
    def decide(nworker, cores, busy, owned, target):
        try:
            answer = function(cores, _array(busy, (nworker,), float), _array(owned, (nworker,), numpy.int32))
            _ffi.memmove(target, _whole(answer, nworker), 4 * nworker)
            return 0
        except Exception as error:  # of the user's: raised where run() was called
            _raised.append(error)
            return -1
    _lib.lbsim_policy(decide)
    _callback = decide
    return function
