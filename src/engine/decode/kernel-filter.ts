/**
 * The kernel's filters for a decode child, without privileges, inside any wall: Landlock for files, seccomp for system calls.
 * Both must hold before the child has a second thread, so a few lines of Perl (part of every Debian and Ubuntu) apply them
 * and become the child.
 */

/** The filters of this kernel; the program does not start without seccomp. */
export interface KernelFilter {
  /** Version of Landlock; 0 where the kernel has none. */
  landlock: number;
}

/** Landlock's rights below a folder. */
const EXECUTE = 1 << 0;
const WRITE_FILE = 1 << 1;
const READ_FILE = 1 << 2;
const READ_DIR = 1 << 3;
const REMOVE_DIR = 1 << 4;
const REMOVE_FILE = 1 << 5;
const MAKE_DIR = 1 << 7;
const MAKE_REG = 1 << 8;
const TRUNCATE = 1 << 14;
const IOCTL_DEV = 1 << 15;
const RIGHTS = {
  read: EXECUTE | READ_FILE | READ_DIR,
  /** Plain files and folders (tiles are made in some): no link, pipe, socket or device. */
  write: READ_FILE | WRITE_FILE | READ_DIR | REMOVE_FILE | REMOVE_DIR | MAKE_REG | MAKE_DIR | TRUNCATE,
  device: READ_FILE | WRITE_FILE | IOCTL_DEV,
} as const;

/** Paths by the child's rights on them; missing ones are skipped. */
export type FileRules = Readonly<Record<keyof typeof RIGHTS, readonly string[]>>;

/** System calls of x86-64 that no decoder needs, by their use for a compromised one. */
const DENIED = {
  'speak to other programs': 'socket=41 shmget=29 shmat=30 semget=64 msgget=68 mq_open=240',
  'start another process, which outlives it': 'fork=57 vfork=58',
  'reach into other processes': `
    ptrace=101 process_vm_readv=310 process_vm_writev=311 kcmp=312 pidfd_open=434 pidfd_getfd=438
    pidfd_send_signal=424 rt_sigqueueinfo=129 rt_tgsigqueueinfo=297 tkill=200 process_madvise=440
    process_mrelease=448 move_pages=279 migrate_pages=256`,
  'change what Landlock does not guard': `
    truncate=76 chmod=90 fchmod=91 fchmodat=268 fchmodat2=452 chown=92 fchown=93 lchown=94 fchownat=260
    setxattr=188 lsetxattr=189 fsetxattr=190 setxattrat=463 removexattr=197 lremovexattr=198
    fremovexattr=199 removexattrat=466 utime=132 utimes=235 futimesat=261 utimensat=280 file_setattr=469
    mknod=133 mknodat=259`,
  'leave its walls': `
    unshare=272 setns=308 chroot=161 mount=165 umount2=166 pivot_root=155 move_mount=429 open_tree=428
    open_tree_attr=467 fsopen=430 fsconfig=431 fsmount=432 fspick=433 mount_setattr=442
    name_to_handle_at=303 open_by_handle_at=304`,
  'attack the kernel where it is large, or change the machine': `
    io_uring_setup=425 io_uring_enter=426 io_uring_register=427 bpf=321 perf_event_open=298
    userfaultfd=323 add_key=248 request_key=249 keyctl=250 fanotify_init=300 modify_ldt=154
    personality=135 ioperm=173 iopl=172 init_module=175 finit_module=313 delete_module=176
    kexec_load=246 kexec_file_load=320 reboot=169 swapon=167 swapoff=168 acct=163 syslog=103
    quotactl=179 quotactl_fd=443 sethostname=170 setdomainname=171 settimeofday=164 clock_settime=227
    clock_adjtime=305 adjtimex=159 vhangup=153`,
};

/** Argument `at` must be one of the values, or the child's own process number. */
const BOUND: readonly { call: number; at: number; values: readonly (number | 'own')[] }[] = [
  // 0 would be the whole group.
  { call: 62 /* kill */, at: 0, values: ['own'] },
  { call: 234 /* tgkill */, at: 0, values: ['own'] },
  { call: 302 /* prlimit64 */, at: 0, values: [0, 'own'] },
  { call: 141 /* setpriority */, at: 0, values: [0] },
  { call: 141 /* setpriority */, at: 1, values: [0, 'own'] },
  { call: 203 /* sched_setaffinity */, at: 0, values: [0, 'own'] },
  { call: 142 /* sched_setparam */, at: 0, values: [0, 'own'] },
  { call: 144 /* sched_setscheduler */, at: 0, values: [0, 'own'] },
  { call: 314 /* sched_setattr */, at: 0, values: [0, 'own'] },
];

/**
 * Arguments: denied calls, bound calls, rules of files, each list behind its length; then the command, which gets them. Drops what root
 * has beyond its name. `clone3` hides its flags behind a pointer, so it is said to be missing; `clone` makes threads alone.
 */
const SCRIPT = `
use strict;
sub call { my $number = shift; my $got = syscall($number, @_); die "system call $number: $!\\n" if $got < 0; $got }
sub list { splice @ARGV, 0, shift @ARGV }
my @denied = list; my @bound = list; my @files = list;
syscall(157, 24, $_, 0, 0, 0) for 0 .. 63;
syscall(157, 47, 4, 0, 0, 0);
call(157, 38, 1, 0, 0, 0);
my $version = syscall(444, 0, 0, 1);
if ($version > 0) {
  my $all = $version >= 5 ? 0xffff : $version >= 3 ? 0x7fff : $version == 2 ? 0x3fff : 0x1fff;
  my $ruleset = call(444, pack('Q3', $all, $version >= 4 ? 3 : 0, $version >= 6 ? 3 : 0), 24, 0);
  for (@files) {
    my ($rights, $path) = split /:/, $_, 2;
    sysopen(my $place, $path, 0x200000) or next;
    $rights &= 0xc007 unless -d $path;
    call(445, $ruleset, 1, pack('Ql', $rights & $all, fileno $place), 0);
  }
  call(446, $ruleset, 0);
}
sub code { pack 'SCCL', @_ }
my ($number, $refused, $missing) = (code(0x20, 0, 0, 0), code(6, 0, 0, 0x50001), code(6, 0, 0, 0x50026));
my $program = code(0x20, 0, 0, 4) . code(0x15, 1, 0, 0xc000003e) . code(6, 0, 0, 0x80000000) . $number;
$program .= code(0x35, 0, 1, 0x40000000) . $missing . code(0x15, 0, 1, 435) . $missing;
$program .= code(0x15, 0, 1, $_) . $refused for @denied;
$program .= code(0x15, 0, 4, 56) . code(0x20, 0, 0, 16) . code(0x45, 1, 0, 0x10000) . $refused . $number;
for (@bound) {
  my ($call, $at, @values) = split /:/;
  $program .= code(0x15, 0, @values + 3, $call) . code(0x20, 0, 0, 16 + 8 * $at);
  for (0 .. $#values) { $program .= code(0x15, @values - $_, 0, $values[$_] eq 'own' ? $$ : $values[$_]) }
  $program .= $refused . $number;
}
$program .= code(6, 0, 0, 0x7fff0000);
call(157, 22, 2, pack('Sx6P', length($program) / 8, $program), 0, 0);
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";`;

const ASK_VERSION = 'print syscall(444, 0, 0, 1)';

/** Begins a command under the filter; paths are as the command sees them. */
export function filterCommand(files: FileRules): string[] {
  const denied = Object.values(DENIED).flatMap((calls) => calls.match(/(?<==)\d+/g) ?? []);
  const bound = BOUND.map(({ call, at, values }) => [call, at, ...values].join(':'));
  const rules = (Object.keys(RIGHTS) as (keyof typeof RIGHTS)[]).flatMap((right) =>
    files[right].map((path) => `${RIGHTS[right]}:${path}`),
  );
  return ['perl', '-e', SCRIPT, ...[denied, bound, rules].flatMap((list) => [String(list.length), ...list])];
}

/** A command under the filter that prints the version of Landlock, or an error without a filter. */
export function askForLandlock(files: FileRules): string[] {
  return [...filterCommand(files), 'perl', '-e', ASK_VERSION];
}
