# SPDX-License-Identifier: BSD-3-Clause
# A Spack recipe: copy into a repository as packages/lbsim/package.py; "spack install lbsim ^openmpi".
from spack.package import *

class Lbsim(CMakePackage):
    """Simulator and live runtime for dynamic load balancing of MPI programs."""

    version("main", branch="main")

    variant("mpi", default=True, description="the live runtime (lbrun and what programs link)")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cjson")
    depends_on("gsl")
    depends_on("glpk")
    depends_on("igraph@0.10:")
    depends_on("random123")
    depends_on("xxhash")
    depends_on("zstd")
    depends_on("elfutils")
    depends_on("ncurses")
    depends_on("gnuplot", type="run")
    depends_on("mpi", when="+mpi")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("BUILD_TESTING", False),
            self.define("LB_MPI_openmpi", False),
            self.define("LB_MPI_mpich", False),
        ]
        if self.spec.satisfies("+mpi"):
            args.append(self.define("LB_MPICC", self.spec["mpi"].mpicc))
        return args
