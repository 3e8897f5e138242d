# SPDX-License-Identifier: MIT OR Apache-2.0

import os

from spack_repo.builtin.build_systems.generic import Package

from spack.package import *


class Orrery(Package):
    """Performance models of clusters: measure a cluster once, then predict how long a communication, a program or a
    parallel routine takes, choose the best way to run it, and see how sure the answer is."""

    # The archive is expected in the current folder, or on a mirror. It contains all crates: cargo needs no network.
    manual_download = True
    url = f"file://{os.getcwd()}/orrery-@VERSION@.tar.xz"

    license("MIT OR Apache-2.0")

    version("@VERSION@", sha256="@SHA256@")

    variant("monitor", default=True, description="Build the agent and the service of `orrery monitor`")
    variant("mpi", default=False, description="Measure on the ranks of MPI jobs; build liborrery-mpi")

    depends_on("c", type="build")
    depends_on("rust@1.90:", type="build")
    depends_on("mpi", when="+mpi")
    # bindgen reads mpi.h with libclang.
    depends_on("llvm+clang", type="build", when="+mpi")

    def setup_build_environment(self, env):
        env.set("CARGO_HOME", join_path(self.stage.source_path, "cargo-home"))
        env.set("CARGO_TARGET_DIR", join_path(self.stage.source_path, "target"))
        if self.spec.satisfies("+mpi"):
            env.set("MPICC", self.spec["mpi"].mpicc)
            env.set("LIBCLANG_PATH", self.spec["llvm"].prefix.lib)

    def install(self, spec, prefix):
        features = [name for name in ("monitor", "mpi") if spec.satisfies("+" + name)]
        cargo = which("cargo", required=True)
        cargo("build", "--release", "--locked", "--offline", "--package", "orrery-hpc", "-j", str(make_jobs), "--features", ",".join(features))
        Executable("packaging/install-command")(join_path("target", "release", "orrery"), prefix)
        library = Executable("packaging/library")
        library("plain", prefix)
        if spec.satisfies("+mpi"):
            library("mpi", prefix, extra_env={"CC": spec["mpi"].mpicc})

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def predict(self):
        """Predict the time of a message by a model of the examples."""
        with working_dir(self.stage.source_path):
            Executable(self.prefix.bin.orrery)("predict", "p2p", "examples/six-hosts.json", "--size", "1K")
