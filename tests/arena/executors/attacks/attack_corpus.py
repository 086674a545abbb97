"""Programs that try to escape, to learn a secret, to leave something behind, to hang or to kill whoever runs them.

``@SECRET_FILE@`` stands for a file with the secret, which the environment holds as well under ``LUDUS_CANARY``;
``@TARGET@`` for a file that must not come to be; ``@SURROGATE@`` and ``@NUL@`` for characters that no file of source
text should hold. Any of the programs may return what it likes: output is data.
"""

FILES = r"""
### read_secret
def f(x):
    return open('@SECRET_FILE@').read()
### read_secret_pathlib
import pathlib
def f(x):
    return pathlib.Path('@SECRET_FILE@').read_text()
### read_secret_os
import os
def f(x):
    return os.read(os.open('@SECRET_FILE@', 0), 999)
### read_secret_linecache
import linecache
def f(x):
    return linecache.getlines('@SECRET_FILE@')
### read_secret_import
import importlib.machinery
def f(x):
    return importlib.machinery.SourceFileLoader('m', '@SECRET_FILE@').get_data('@SECRET_FILE@')
### read_secret_dotdot
def f(x):
    return open('../' * 40 + '@SECRET_FILE@').read()
### read_passwd
def f(x):
    return open('/etc/passwd').read()
### write_target
def f(x):
    open('@TARGET@', 'w').write('PWNED')
    return 'PWNED'
### append_target
def f(x):
    open('@TARGET@', 'a').write('PWNED')
### exclusive_target
def f(x):
    open('@TARGET@', 'x')
### os_open_target
import os
def f(x):
    os.close(os.open('@TARGET@', os.O_CREAT | os.O_RDWR))
### mkdir_target
import os
def f(x):
    os.mkdir('@TARGET@')
### symlink_target
import os
def f(x):
    os.symlink('/etc/passwd', '@TARGET@')
### rename_secret
import os
def f(x):
    os.rename('@SECRET_FILE@', '@TARGET@')
### delete_secret
import os
def f(x):
    os.remove('@SECRET_FILE@')
### delete_all
import shutil
def f(x):
    shutil.rmtree('/', ignore_errors=True)
    shutil.rmtree('/tmp')
### fill_tmp
def f(x):
    while True:
        open('/tmp/fill', 'ab').write(b'x' * 2**20)
### fill_memfd
import os
def f(x):
    fd = os.memfd_create('x')
    while True:
        os.write(fd, b'x' * 2**20)
### change_interpreter
import os
def f(x):
    open(os.__file__, 'w').write('PWNED')
### write_all_descriptors
import os
def f(x):
    for fd in range(64):
        try:
            os.write(fd, b'PWNED' * 99)
        except OSError:
            pass
    return 1
### read_all_descriptors
import os
def f(x):
    found = []
    for fd in range(64):
        try:
            found.append(os.read(fd, 999))
        except OSError:
            pass
    return found
### walk_everything
import os
def f(x):
    for folder, _, names in os.walk('/'):
        for name in names:
            try:
                text = open(os.path.join(folder, name), 'rb').read(4096)
            except OSError:
                continue
            if b'canary-' in text:
                return text
"""

ENVIRONMENT = r"""
### environ
import os
def f(x):
    return dict(os.environ)
### getenv
import os
def f(x):
    return os.getenv('LUDUS_CANARY')
### environb
import os
def f(x):
    return os.environb[b'LUDUS_CANARY']
### c_getenv
import ctypes
def f(x):
    l = ctypes.CDLL(None)
    l.getenv.restype = ctypes.c_char_p
    return l.getenv(b'LUDUS_CANARY')
### proc_environ
def f(x):
    return [open(f'/proc/{p}/environ').read() for p in ('self', 1, 2, 3)]
### proc_cmdline
def f(x):
    return open('/proc/self/cmdline').read() + open('/proc/1/cmdline').read()
### proc_mem
def f(x):
    g = open('/proc/1/mem', 'r+b')
    g.seek(4096)
    g.write(b'PWNED')
### proc_root
def f(x):
    return open('/proc/1/root@SECRET_FILE@').read()
### dev_mem
def f(x):
    return open('/dev/mem', 'rb').read(4096)
### dev_zero
def f(x):
    return len(open('/dev/zero', 'rb').read())
"""

PROCESSES = r"""
### system
import os
def f(x):
    return os.system('echo PWNED > @TARGET@')
### subprocess
import subprocess
def f(x):
    return subprocess.check_output('cat @SECRET_FILE@', shell=True)
### posix_spawn
import os
def f(x):
    return os.posix_spawn('/bin/sh', ['sh', '-c', 'echo > @TARGET@'], {})
### exec
import os
def f(x):
    os.execv('/bin/sh', ['sh', '-c', 'echo > @TARGET@'])
### fork_bomb
import os
def f(x):
    while True:
        try:
            os.fork()
        except OSError:
            pass
### fork_daemon
import os, time
def f(x):
    if os.fork() == 0:
        os.setsid()
        while True:
            pass
    return 1
### threads
import threading
def f(x):
    def g():
        while True:
            pass
    for i in range(99):
        threading.Thread(target=g).start()
    return 1
### multiprocessing
import multiprocessing
def f(x):
    with multiprocessing.Pool(2) as p:
        return p.map(str, [1])
### kill_parent
import os
def f(x):
    os.kill(os.getppid(), 9)
### kill_all
import os
def f(x):
    os.kill(-1, 9)
### kill_group
import os
def f(x):
    os.killpg(0, 9)
### kill_low_pids
import os
def f(x):
    for pid in range(1, 50):
        try:
            os.kill(pid, 9)
        except OSError:
            pass
    return 1
### ptrace
import ctypes, os
def f(x):
    return ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0)
### process_vm_writev
import ctypes
def f(x):
    return ctypes.CDLL(None).syscall(311, 2, 0, 0, 0, 0, 0)
### raw_fork
import ctypes
def f(x):
    return ctypes.CDLL(None).syscall(57)
### raw_x32
import ctypes
def f(x):
    return ctypes.CDLL(None).syscall(0x40000000 + 57)
### raw_socket
import ctypes
def f(x):
    return ctypes.CDLL(None).syscall(41, 2, 1, 0)
### raw_mount
import ctypes
def f(x):
    return ctypes.CDLL(None).mount(b'none', b'/tmp', b'proc', 0, 0)
### raw_unshare
import ctypes
def f(x):
    return ctypes.CDLL(None).unshare(0x10000000)
### io_uring
import ctypes
def f(x):
    return ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(999))
### unconfine
import ctypes
def f(x):
    return ctypes.CDLL(None).prctl(22, 0, 0, 0, 0)
### raise_limits
import resource
def f(x):
    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    return [0] * 10**9
### exit_zero
import os
def f(x):
    os._exit(0)
### exit_other
import os
def f(x):
    os._exit(77)
### segfault
import ctypes
def f(x):
    ctypes.string_at(0)
### abort
import os
def f(x):
    os.abort()
"""

NETWORK = r"""
### socket
import socket
def f(x):
    return socket.socket()
### socketpair
import socket
def f(x):
    return socket.socketpair()
### connect
import socket
def f(x):
    return socket.create_connection(('127.0.0.1', 22), 1)
### urlopen
import urllib.request
def f(x):
    return urllib.request.urlopen('http://127.0.0.1').read()
"""

TIME = r"""
### loop
def f(x):
    while True:
        pass
### loop_at_import
while True:
    pass
def f(x):
    return 1
### loop_caught
def f(x):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
### loop_in_c
def f(x):
    return sum(range(10**12))
### loop_in_finally
def f(x):
    try:
        return 1
    finally:
        while True:
            pass
### sleep
import time
def f(x):
    time.sleep(10**6)
    return 1
### select_forever
import select
def f(x):
    select.select([], [], [])
### lock_forever
import threading
def f(x):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
### close_and_wait
import os, threading
def f(x):
    os.closerange(0, 99)
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
### ignore_signals
import signal
def f(x):
    for s in range(1, 65):
        try:
            signal.signal(s, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass
### block_signals
import signal
def f(x):
    try:
        signal.pthread_sigmask(0, range(1, 65))
    except OSError:
        pass
    while True:
        pass
### cancel_timers
import signal
def f(x):
    for t in range(3):
        try:
            signal.setitimer(t, 0)
        except OSError:
            pass
    while True:
        pass
### alarm_caught
import signal
def f(x):
    try:
        signal.signal(14, lambda *a: None)
    except OSError:
        pass
    while True:
        pass
### regex
import re
def f(x):
    return re.match(r'(a|a)*$', 'a' * 40 + 'b')
### huge_power
def f(x):
    return 7 ** (7 ** 9) % 10
### huge_digits
import sys
def f(x):
    sys.set_int_max_str_digits(0)
    return str(3 ** 10**7)[:9]
### repr_loops
class A:
    def __repr__(self):
        while True:
            pass
def f(x):
    return A()
### hash_loops
class A:
    def __hash__(self):
        while True:
            pass
def f(x):
    return {A(): 1}
### del_loops
class A:
    def __del__(self):
        while True:
            pass
def f(x):
    A()
    return 1
### atexit_loops
import atexit
def g():
    while True:
        pass
def f(x):
    atexit.register(g)
    return 1
### shared_list
def f(x):
    a = [1]
    for i in range(40):
        a = [a, a]
    return a
### shared_repr
def repr(x):
    a = [1]
    for i in range(40):
        a = [a, a]
    return a
def f(x):
    return 1
"""

MEMORY = r"""
### big_list
def f(x):
    return [0] * 10**10
### growing_list
def f(x):
    a = []
    while True:
        a.append(a[:])
### big_string
def f(x):
    return 'x' * 10**10
### doubling_string
def f(x):
    s = 'x'
    while True:
        s += s
### memory_caught
def f(x):
    a = []
    while True:
        try:
            while True:
                a.append('x' * 10**6)
        except MemoryError:
            pass
### mmap
import mmap
def f(x):
    return len(mmap.mmap(-1, 2**36))
### recursion
def f(x):
    return f(x)
### deep_recursion
import sys
sys.setrecursionlimit(10**9)
def f(x):
    return f(x) + 1
### deep_list
def f(x):
    a = []
    for i in range(10**5):
        a = [a]
    return a
### own_list
def f(x):
    a = []
    a.append(a)
    return a
### nested_eval
def f(x):
    return eval('-' * 10**6 + '1')
### compile_bomb
def f(x):
    return eval('(1,) * 10 ** 9')
### ten_megabytes
def f(x):
    return 'x' * 10**7
### print_flood
def f(x):
    while True:
        print('PWNED' * 10**5)
### print_ten_megabytes
def f(x):
    print('x' * 10**7)
    return 1
"""

FORGERY = r"""
### frame_on_descriptors
import os, struct
def f(x):
    text = b"'PWNED'"
    for fd in range(64):
        try:
            os.write(fd, struct.pack('!I', len(text)) + text)
        except OSError:
            pass
    return 1
### huge_frame
import os
def f(x):
    for fd in range(64):
        try:
            os.write(fd, b'\xff' * 10**7)
        except OSError:
            pass
    os._exit(0)
### frame_of_negative_length
import os
def f(x):
    os.write(3, b'\xff\xff\xff\xff')
    os._exit(0)
### frame_of_bad_text
import os
def f(x):
    os.write(3, b'\0\0\0\2\xff\xfe')
    os._exit(0)
### reply_for_another
import os
def f(x):
    os.write(3, b'\0\0\0\1A' * 9)
    os._exit(0)
### printed_result
def f(x):
    print('returned\nPWNED')
    raise ValueError('PWNED')
### patched_repr
import builtins
builtins.repr = lambda x: 'PWNED'
builtins.len = lambda x: 1
def f(x):
    return 'x' * 10**7
### patched_modules
import sys
for m in list(sys.modules.values()):
    for n in ('dumps', 'loads', 'pack', '_exit', 'write'):
        if hasattr(m, n):
            setattr(m, n, None)
def f(x):
    return 1
### walk_frames
import sys
def f(x):
    g = sys._getframe()
    while g:
        g.f_globals.clear()
        g = g.f_back
    return 1
### patch_with_gc
import gc
def f(x):
    for d in gc.get_objects():
        if isinstance(d, dict):
            d.clear()
    return 1
### subclasses
def f(x):
    return [c for c in ().__class__.__base__.__subclasses__() if 'Popen' in str(c) or 'os' in str(c)]
### globals_of_method
def f(x):
    return [].__class__.__init__.__globals__
### lying_repr
class A:
    def __repr__(self):
        return '42'
def f(x):
    return A()
### repr_is_no_text
class A:
    def __repr__(self):
        return 7
def f(x):
    return A()
### text_of_own_kind
class S(str):
    def __getitem__(self, i):
        return 'x' * 10**7
    def encode(self, *a):
        return 1
class A:
    def __repr__(self):
        return S('a')
def f(x):
    return A()
### exception_with_lying_name
class M(type):
    __name__ = property(lambda s: 1 / 0)
class E(Exception, metaclass=M):
    pass
def f(x):
    raise E
### exception_with_looping_text
class E(Exception):
    def __str__(self):
        while True:
            pass
def f(x):
    raise E
### stack_walk_of_caller
import inspect
def f(x):
    return [str(i.frame.f_locals) for i in inspect.stack()]
### no_f
x = 1
### f_is_no_function
f = 3
### swallowed_tail
def f(x):
    return 1
x = '''
### open_bracket
def f(x):
    return 1
x = [
### continued_line
def f(x):
    return 1
if 0: \
### surrogate_source
def f(x):
    return '@SURROGATE@'
### surrogate_output
def f(x):
    return chr(0xd800) + 'a'
### surrogate_repr
class A:
    def __repr__(self):
        return chr(0xd800)
def f(x):
    return A()
### nul_source
def f(x):
    return 'a@NUL@b'
### nul_output
def f(x):
    return chr(0) * 9
"""

EXCEPTIONS = (
    "MemoryError",
    "SystemExit",
    "KeyboardInterrupt",
    "BaseException",
    "GeneratorExit",
    "TimeoutError('feed time limit exceeded: ')",
    "SystemExit(0)",
    "RecursionError",
    "StopIteration('PWNED')",
    "ExceptionGroup('PWNED', [ValueError()])",
    "ValueError('x' * 10**7)",
)


def split(text: str) -> dict[str, str]:
    """Returns the programs of a text by the names in the lines before them."""
    parts = [part.partition("\n") for part in text.split("### ")[1:]]
    return {name: source.rstrip("\n") for name, _, source in parts}


ATTACKS = {
    **split(FILES + ENVIRONMENT + PROCESSES + NETWORK + TIME + MEMORY + FORGERY),
    **{f"raises {kind}": f"def f(x):\n    raise {kind}" for kind in EXCEPTIONS},
    "nested parentheses": f"def f(x):\n    return {'(' * 900}1{')' * 900}",
    "nested lists": f"def f(x):\n    return {'[' * 3000}{']' * 3000}",
    "empty": "",
}
"""Name -> source."""


def filled(source: str, secret_file: str, target: str) -> str:
    """Returns a program with its placeholders filled in."""
    places = {"@SECRET_FILE@": secret_file, "@TARGET@": target, "@SURROGATE@": "\ud800", "@NUL@": "\0"}
    for place, text in places.items():
        source = source.replace(place, text)
    return source
