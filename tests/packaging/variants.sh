#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tree builds, installs and runs as packagers build it, not only as the tests do: each variant is configured
# from a source without history that nobody may write to, by an ordinary user where the tests run as root, without
# tests, installed with DESTDIR, moved, and used. "wrapper" and "again" go on from what "bare" has built.
# Usage: variants.sh SOURCE_DIR [VARIANT...]
set -eu
source=$1
shift
[ $# -gt 0 ] || set -- clang-openmpi bare wrapper again
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

mkdir "$work/source" "$work/nothing" "$work/front"
if [ -e "$source/.git" ]; then
    git -C "$source" -c safe.directory='*' ls-files -z | tar -C "$source" --null -T - -c | tar -C "$work/source" -x
else
    cp -r "$source/." "$work/source"
fi
chmod -R a+rX,a-w "$work/source"
source=$work/source
# neither git nor what is optional; what is not asked for is not missed
printf '#!/bin/sh\nexit 127\n' >"$work/front/git"
printf '#!/bin/sh\ncase " $* " in *cmocka*|*otf2*|*libdw*|*ncurses*) exit 1 ;; esac\nexec %s "$@"\n' "$(command -v pkg-config)" >"$work/front/pkg-config"
chmod -R a+rx "$work/front" "$work/nothing"
PATH=$work/front:$PATH
as_user=
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    as_user="setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=$work CCACHE_DISABLE=1"
    chmod 755 "$work"
fi

# build BUILD_NAME [cmake options]: into $work/BUILD_NAME, which may be there already; installed and moved to $prefix
build() {
    there=$work/$1
    shift
    mkdir -p "$there"
    [ -z "$as_user" ] || chown 65534:65534 "$there"
    prefix=$there/$variant
    $as_user cmake -S "$source" -B "$there/build" -G Ninja -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_INSTALL_PREFIX=/opt/lbsim "$@" >"$work/$variant.log" 2>&1 &&
        $as_user cmake --build "$there/build" >>"$work/$variant.log" 2>&1 &&
        $as_user env DESTDIR="$there/dest" cmake --install "$there/build" >>"$work/$variant.log" 2>&1 ||
        { tail -30 "$work/$variant.log"; fail "$variant does not build"; }
    $as_user mv "$there/dest/opt/lbsim" "$prefix"
    ! grep -rlF -e "$there" -e "$source" "$prefix" || fail "$variant: these files name where they were built"
}

# The moved program finds its data, says which commit it does not know, simulates; and, as gnuplot is not in its PATH,
# leaves the figure's data, which it says once.
use_lbsim() {
    "$prefix/bin/lbsim" --version | grep -q '^commit unknown' || fail "$variant: --version"
    PATH="$work/nothing" "$prefix/bin/lbsim" "$prefix/share/lbsim/scenarios/slow_node.json" --set replicates=1 \
        --set 'sweep={"workload.imbalance":[1,2],"graph.degree":[1,2],"platform.nodes":[2],"workload.slow":["most"]}' --out "$prefix.out" >"$prefix.txt" 2>"$prefix.err" || fail "$variant: $(cat "$prefix.err")"
    grep -q time_per_iteration_s "$prefix.txt" || fail "$variant: no table"
    [ "$(grep -c gnuplot "$prefix.err")" = 1 ] && ls "$prefix.out"/*.dat >/dev/null ||
        fail "$variant: without gnuplot: $(cat "$prefix.err"; ls "$prefix.out")"
}

# port MPICC MPI: a program is built against what is installed, and runs
port() {
    PKG_CONFIG_PATH=$(find "$prefix" -name pkgconfig)
    export PKG_CONFIG_PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # shellcheck disable=SC2046 # words
    "$1" $(pkg-config --cflags "lbrun-$2") "$source/real/apps/port/after.c" -o "$prefix/port" \
        $(pkg-config --libs "lbrun-$2")
    "$prefix/bin/lbrun" --nodes 2 --cores 2 --degree 2 -- "$prefix/port" >"$prefix.port" ||
        fail "$variant: a ported program does not run"
    grep -q '^  tasks ' "$prefix.port" || fail "$variant: no report"
}

# What the Spack recipe defines without MPI, as options of CMake. (Its tool is not in the distribution, nor EasyBuild's:
# what they do is done by the shell.)
spack_arguments() {
    sed -n 's/.*self.define("\([A-Za-z_]*\)", False).*/-D\1=OFF/p' "$source/packaging/spack/package.py"
}

for variant; do
    echo "== $variant"
    case $variant in
    clang-openmpi)
        clang=$(command -v clang || command -v clang-14 || true)
        [ -n "$clang" ] && command -v mpicc.openmpi >/dev/null || { echo "skipped: no clang, or no Open MPI"; continue; }
        build clang -DCMAKE_C_COMPILER="$clang" -DLB_MPI_mpich=OFF
        use_lbsim
        port mpicc.openmpi openmpi
        ;;
    bare) # gcc, no MPI, nothing that may be missing; the Spack recipe's arguments without MPI
        build gcc $(spack_arguments)
        use_lbsim
        ! find "$prefix" -name 'liblbrun*' | grep -q . || fail "libraries for an MPI that is none"
        ;;
    wrapper) # the EasyBuild recipe's arguments: an MPI that only a wrapper compiler knows, under a name of the site's
        command -v mpicc.mpich >/dev/null || { echo "skipped: no MPICH"; continue; }
        EBROOTOPENMPI=$work/site
        mkdir -p "$EBROOTOPENMPI/bin"
        printf '#!/bin/sh\nexec mpicc.mpich "$@"\n' >"$EBROOTOPENMPI/bin/mpicc"
        chmod -R a+rx "$EBROOTOPENMPI"
        eval "build gcc $(sed -n "s/^configopts = '\(.*\)'/\1/p" "$source"/packaging/easybuild/*.eb)"
        use_lbsim
        port "$EBROOTOPENMPI/bin/mpicc" mpich
        ;;
    again) # from another folder, into another: the same program to the last byte
        [ -e "$work/gcc/bare" ] || { echo "skipped: nothing to compare with"; continue; }
        cp -r "$source" "$work/elsewhere"
        (source=$work/elsewhere && build twin $(spack_arguments))
        cmp "$work/gcc/bare/bin/lbsim" "$work/twin/again/bin/lbsim" || fail "not the same files again"
        ;;
    debian)
        command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null || { echo "skipped: no debhelper"; continue; }
        version=$(sed -n '1s/.*(\(.*\)-.*/\1/p' "$source/packaging/debian/changelog")
        mkdir "$work/debian" && cp -r "$source" "$work/debian/lbsim-$version"
        chmod -R u+w "$work/debian"
        PATH=${PATH#*:}
        (cd "$work/debian" && tar czf "lbsim_$version.orig.tar.gz" "lbsim-$version")
        cp -r "$source/packaging/debian" "$work/debian/lbsim-$version/debian"
        (cd "$work/debian/lbsim-$version" && dpkg-buildpackage -us -uc >"$work/debian.log" 2>&1) ||
            { tail -30 "$work/debian.log"; fail "the package does not build"; }
        ! command -v lintian >/dev/null || lintian --fail-on error "$work"/debian/*.changes || fail "lintian"
        ;;
    *) fail "unknown variant '$variant'" ;;
    esac
done
echo "all variants build, install and run"
