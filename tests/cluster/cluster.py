#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A cluster on this machine, for as long as a command runs.

    cluster.py with NODE:CPUS[:PRESENT]... -- COMMAND     nodes, COMMAND beside them, and its exit code
    cluster.py on NODE COMMAND...               as ssh(1): a shell's command on a node
    cluster.py fail NODE                        all of the node's processes are gone
    cluster.py lose NODE                        likewise, without a word to the others: no power
    cluster.py cut NODE                         its network is gone
    cluster.py hang NODE                        all of them stand still
    cluster.py go NODE                          they go on
    cluster.py can                              may this user make one? Else a line why not, and 77

Each node has mount, UTS, IPC, network, process and time namespaces of its own: an own /dev/shm and
/tmp, host name, process numbers, address on a common bridge, and a clock that is hours from the
others'. The rest of the file system is shared, as by NFS. A node's CPUs are those that cpus.c, which
is preloaded (CLUSTER_PRELOAD), lets programs see, so that nodes may be larger than the machine, and
unequal; PRESENT: how many are there, where the rest is another job's.

All lives in one process namespace: where this script ends, by whatever, nothing of it is left.
`on` is also what MPI's launchers take in place of ssh (plm_rsh_agent, -launcher-exec).
"""

import array
import contextlib
import ctypes
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

SKIPPED = 77
NETWORK = "10.77.0.%d"
LOST = 255  # as ssh(1)
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NAMESPACES = ["--mount", "--uts", "--ipc", "--net", "--pid", "--time", "--fork", "--kill-child"]


def call(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def die_with_parent():
    """For subprocess' preexec_fn: PR_SET_PDEATHSIG."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def own_user():
    """Who is not root has to be so in a user namespace."""
    return [] if os.geteuid() == 0 else ["--user", "--map-root-user"]


# ---- A node ----


def keep_seen(path):
    """What is mounted over /tmp hides what is there, such as a build directory: bind it again."""
    top = "/".join(path.split("/")[:3])
    return top if path.startswith("/tmp/") else None


def own_places(name, directory):
    kept = {keep_seen(p) for p in (os.getcwd(), directory, os.path.realpath(__file__))} - {None}
    held = {path: os.open(path, os.O_PATH) for path in kept}
    call("mount", "-t", "proc", "proc", "/proc")
    for place in ("/dev/shm", "/tmp"):
        call("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", place)
    for path, fd in held.items():
        os.makedirs(path, exist_ok=True)
        # As it is: the path that mount(8) finds behind the descriptor is the empty one by now.
        call("mount", "--no-canonicalize", "--bind", "/proc/%d/fd/%d" % (os.getpid(), fd), path)
        os.close(fd)
    call("mount", "--bind", os.path.join(directory, "hosts"), "/etc/hosts")
    socket.sethostname(name)


def join_network(number):
    call("ip", "link", "set", "lo", "up")
    wait_for(lambda: "eth0" in dict(socket.if_nameindex()).values(), "no network comes")
    call("ip", "addr", "add", (NETWORK + "/24") % number, "dev", "eth0")
    call("ip", "link", "set", "eth0", "up")


def node_environment():
    """As that of a login, which knows nothing of where it is called from."""
    env = {"HOME": os.environ.get("HOME", "/"), "PATH": PATH, "LC_ALL": "C", "USER": "root",
           "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
           "CLUSTER": os.environ["CLUSTER"]}
    if os.environ.get("CLUSTER_PRELOAD"):
        env["LD_PRELOAD"] = os.environ["CLUSTER_PRELOAD"]
    return env


def receive_command(client):
    """Words, and the descriptors of standard input, output and error."""
    fds = array.array("i")
    data, ancillary, _, _ = client.recvmsg(1 << 20, socket.CMSG_SPACE(3 * fds.itemsize))
    for _, _, part in ancillary:
        fds.frombytes(part[: len(part) - len(part) % fds.itemsize])
    return (json.loads(data) if data else None), list(fds)


def become(command, fds, env):
    os.setsid()
    for to, fd in enumerate(fds):
        os.dup2(fd, to)
    os.closerange(3, 1024)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.chdir(command["directory"])
    os.execve("/bin/sh", ["sh", "-c", command["line"]], env)


def begin(client, env):
    command, fds = receive_command(client)
    if len(fds) != 3:
        client.close()
        return None
    pid = os.fork()
    if pid == 0:
        try:
            become(command, fds, env)
        finally:
            os._exit(127)
    for fd in fds:
        os.close(fd)
    return pid


def reap(clients):
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        client = clients.pop(pid, None)
        if client:
            try:
                client.send(b"%d" % os.waitstatus_to_exitcode(status))
            except OSError:
                pass
            client.close()


def serve(listener, env):
    """The node's process 1: runs what it is told, for ever."""
    woken, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    selector.register(woken, selectors.EVENT_READ)
    clients = {}
    while True:
        for key, _ in selector.select():
            if key.fileobj is listener:
                client = listener.accept()[0]
                pid = begin(client, env)
                if pid:
                    clients[pid] = client
            else:
                os.read(woken, 4096)
        reap(clients)


def node(name, number):
    directory = os.environ["CLUSTER"]
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    path = os.path.join(directory, name)
    own_places(name, directory)
    join_network(int(number))
    listener.bind(path + ".new")
    listener.listen(64)
    os.rename(path + ".new", path)
    serve(listener, node_environment())


# ---- All of them ----


def parse_nodes(words):
    nodes = []
    for word in words:
        parts = word.split(":")
        cpus = int(parts[1])
        nodes.append((parts[0], cpus, int(parts[2]) if len(parts) > 2 else cpus))
    return nodes


def make_switch():
    call("ip", "link", "set", "lo", "up")
    call("ip", "link", "add", "switch", "type", "bridge")
    call("ip", "addr", "add", (NETWORK + "/24") % 254, "dev", "switch")
    call("ip", "link", "set", "switch", "up")


def inner_process(pid):
    """The namespace's first process, child of unshare(1)."""
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        children = f.read().split()
    return int(children[0]) if children else None


def wait_for(test, what):
    for _ in range(1500):
        value = test()
        if value:
            return value
        signal.sigtimedwait([], 0.02)
    raise SystemExit("cluster.py: %s" % what)


def first_cpu(number, cpus):
    """Other numbers than on the first node. None that hwloc, which sees the machine's own in /sys, tries to bind
    itself to: it cannot go back to those that it does not see."""
    return 0 if number == 1 else max(4 * (number - 1), cpus)


def start_node(directory, number, name, cpus, present):
    hours = 3600 * number
    with open(os.path.join(directory, name + ".cpus"), "w") as f:
        f.write("%d %d %d\n" % (first_cpu(number, cpus), present, cpus))
    line = ["unshare", *NAMESPACES, "--monotonic", str(hours), "--boottime", str(hours),
            sys.executable, os.path.realpath(__file__), "node", name, str(number)]
    process = subprocess.Popen(line, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
    inner = wait_for(lambda: inner_process(process.pid), "node %s has no process" % name)
    near = "port%d" % number
    call("ip", "link", "add", near, "type", "veth", "peer", "name", "far%d" % number)
    call("ip", "link", "set", near, "master", "switch", "up")
    call("ip", "link", "set", "far%d" % number, "netns", str(inner), "name", "eth0")
    with open(os.path.join(directory, name + ".pid"), "w") as f:
        f.write("%d %d\n" % (inner, number))


def write_hosts(directory, nodes):
    with open(os.path.join(directory, "hosts"), "w") as f:
        f.write("127.0.0.1 localhost\n")
        for i, (name, _, _) in enumerate(nodes):
            f.write((NETWORK + " %s\n") % (i + 1, name))


def inside(words):
    """In the namespaces that all of the cluster is in: the bridge, the nodes, the command."""
    split = words.index("--")
    nodes, command = parse_nodes(words[:split]), words[split + 1:]
    directory = os.environ["CLUSTER"]
    make_switch()
    write_hosts(directory, nodes)
    for i, (name, cpus, present) in enumerate(nodes):
        start_node(directory, i + 1, name, cpus, present)
    for name, _, _ in nodes:
        path = os.path.join(directory, name)
        wait_for(lambda: os.path.exists(path), "node %s does not answer" % name)
    return subprocess.run(command).returncode


def with_cluster(words):
    why = why_not()
    if why:
        print("skipped: no namespaces for a cluster: %s" % why)
        return SKIPPED
    directory = tempfile.mkdtemp(prefix="cluster-", dir=os.getcwd())
    environment = dict(os.environ, CLUSTER=directory)
    line = ["unshare", *own_user(), "--mount", "--net", "--pid", "--fork", "--kill-child",
            "--mount-proc", sys.executable, os.path.realpath(__file__), "inside", *words]
    try:
        code = subprocess.run(line, env=environment, preexec_fn=die_with_parent).returncode
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return code if code >= 0 else 128 - code


def why_not():
    try:
        script = ("ip link add p0 type veth peer name p1 && ip link add p2 type bridge && "
                  "mount -t tmpfs tmpfs /dev/shm")
        line = ["unshare", *own_user(), *NAMESPACES, "--mount-proc", "sh", "-c", script]
        found = subprocess.run(line, stderr=subprocess.PIPE, timeout=20)
        return found.stderr.decode().strip().split("\n")[0] if found.returncode else None
    except (OSError, subprocess.TimeoutExpired) as why:
        return str(why)


# ---- From without ----


def directory_of_cluster():
    if "CLUSTER" not in os.environ:
        raise SystemExit("cluster.py: no cluster here: cluster.py with NODE:CPUS ... -- COMMAND")
    return os.environ["CLUSTER"]


def relay(source, target):
    """As ssh(1), which stands between: who dies here breaks the pipes of what runs there."""
    while True:
        try:
            data = os.read(source, 65536)
            os.write(target, data)
        except OSError:
            data = b""
        if not data:
            break
    for fd in {source, target} - {0, 1, 2}:
        os.close(fd)


def start_relay(source, target):
    thread = threading.Thread(target=relay, args=(source, target), daemon=True)
    thread.start()
    return thread


def on(words):
    """Options are ssh's, which are not looked at."""
    while words and words[0].startswith("-"):
        words = words[1:]
    name, command = words[0], " ".join(words[1:])
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        client.connect(os.path.join(directory_of_cluster(), name))
        message = json.dumps({"line": command, "directory": os.getcwd()}).encode()
        pipes = [os.pipe() for _ in range(3)]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        client.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                                    array.array("i", theirs))])
        for fd in theirs:
            os.close(fd)
        start_relay(0, pipes[0][1])
        outputs = [start_relay(pipes[i][0], i) for i in (1, 2)]
        status = client.recv(64)
        for thread in outputs:
            thread.join(2)
    except OSError as why:
        print("cluster.py: node %s: %s" % (name, why), file=sys.stderr)
        return LOST
    if not status:
        print("cluster.py: node %s: connection closed" % name, file=sys.stderr)
        return LOST
    code = int(status)
    return code if code >= 0 else 128 - code


def process_of(name):
    with open(os.path.join(directory_of_cluster(), name + ".pid")) as f:
        return int(f.read().split()[0])


def cut(name):
    with open(os.path.join(directory_of_cluster(), name + ".pid")) as f:
        call("ip", "link", "set", "port" + f.read().split()[1], "down")


def lose(name):
    cut(name)
    fail(name)


def fail(name):
    os.kill(process_of(name), signal.SIGKILL)


def members(space):
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.readlink("/proc/%s/ns/pid" % entry) == space:
                yield int(entry)
        except OSError:
            continue


def signal_all(name, which):
    space = os.readlink("/proc/%d/ns/pid" % process_of(name))
    for pid in members(space):
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(pid, which)


def can():
    why = why_not()
    if why:
        print("skipped: no namespaces for a cluster: %s" % why)
    return SKIPPED if why else 0


def main(words):
    verb = words[0] if words else ""
    commands = {"with": lambda: with_cluster(words[1:]), "inside": lambda: inside(words[1:]),
                "node": lambda: node(*words[1:]), "on": lambda: on(words[1:]),
                "fail": lambda: fail(words[1]), "hang": lambda: signal_all(words[1], signal.SIGSTOP),
                "go": lambda: signal_all(words[1], signal.SIGCONT),
                "lose": lambda: lose(words[1]), "cut": lambda: cut(words[1]), "can": can}
    if verb not in commands:
        raise SystemExit(__doc__)
    return commands[verb]() or 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # whatever relays still wait for
