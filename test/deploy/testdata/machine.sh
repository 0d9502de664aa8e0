# machine.sh PLAYBOOK RELEASE WORK: runs the playbook against a namespace of this machine, in which this script is.
set -euo pipefail
playbook=$1 release=$2 work=$3

# fail MESSAGE: ends everything.
fail() {
	echo "machine: $1"
	exit 1
}

# What the playbook writes goes into a layer that nobody else sees.
mount --make-rprivate /
mount -t tmpfs none "$work"
for dir in /etc /opt /usr/local /var/lib; do
	mkdir -p "$work/upper$dir" "$work/work$dir"
	mount -t overlay overlay -o "lowerdir=$dir,upperdir=$work/upper$dir,workdir=$work/work$dir" "$dir"
done
ip link set lo up

# The units of the machine outside play no part here: systemctl works on files, and says of the rest that it is left.
export SYSTEMD_OFFLINE=1 ANSIBLE_NOCOLOR=1 ANSIBLE_LOCALHOST_WARNING=False
# Each of some sixty tasks would start several processes more.
export ANSIBLE_PYTHON_INTERPRETER=/usr/bin/python3 ANSIBLE_PIPELINING=True
export ANSIBLE_REMOTE_TEMP=$work/remote ANSIBLE_LOCAL_TEMP=$work/local

cat >"$work/inventory.yml" <<-EOF
	benchd_coordinator: {hosts: {here: {ansible_connection: local}}}
	benchd_agents: {hosts: {here: {benchd_labels: {rack: a}, benchd_hooks: {mark: touch /var/lib/benchd-agent/marked}}}}
EOF
# The program with which the playbook issues certificates is the release's own.
mkdir "$work/control"
tar -xzf "$release"/benchd_*_linux_"$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')".tar.gz -C "$work/control" --strip-components=1
program=$work/control/bin/benchd
# play ARG…: runs the playbook; its output is in $work/played.
play() {
	ansible-playbook -i "$work/inventory.yml" -e "benchd_release=$release" -e "benchd_program=$program" "$@" "$playbook" >"$work/played" 2>&1
}
# changed: how many tasks changed something.
changed() { sed -nE 's/.* changed=([0-9]+) .*/\1/p' "$work/played"; }

play --check --diff || { cat "$work/played"; fail "check mode fails"; }
(($(changed) > 0)) || fail "check mode does not say what it would do"
[[ ! -e $work/pki && ! -e /etc/benchd && ! -e /usr/local/bin/benchd && ! -e /etc/systemd/system/benchd-agent.service ]] || fail "check mode changes the machine"

play || { cat "$work/played"; fail "the playbook fails"; }
echo "first: $(changed) changed"
for unit in benchd-coordinator benchd-agent; do
	[[ -L /etc/systemd/system/multi-user.target.wants/$unit.service ]] || fail "$unit does not start with the machine"
done
systemd-analyze verify --man=no /etc/systemd/system/benchd-{coordinator,agent}.service >"$work/verified" 2>&1 ||
	{ cat "$work/verified"; fail "systemd-analyze verify fails"; }
! grep benchd "$work/verified" || fail "systemd-analyze verify finds something"

# Only root reads the settings, since hooks are among them, and keys.
while read -r mode file; do
	found=$(stat --format='%a %U:%G' "/etc/benchd/$file")
	[[ $found == "$mode root:root" ]] || fail "/etc/benchd/$file has mode $found, want $mode"
done <<-EOF
	640 coordinator.yaml
	640 agent.yaml
	700 coordinator
	600 coordinator/tls.key
	600 coordinator/agents.key
	700 agent
	600 agent/token
	644 revoked
EOF
! grep insecure /etc/benchd/*.yaml || fail "a service is not secured"
[[ ! -e /etc/benchd/coordinator/ca.key ]] || fail "the root's key is on the coordinator's machine"
! grep -F "$(</etc/benchd/agent/token)" "$work/played" || fail "the output of the playbook has a join token"

# A systemd of this namespace starts the units. Its control groups are below one that ends with it.
groups=$work/groups
mkdir "$groups"
mount -t cgroup2 none "$groups"
group=$groups/benchd-test-$$-$RANDOM
mkdir "$group"
sh -c 'echo 0 >"$1/cgroup.procs" && exec unshare --mount --pid --cgroup --fork --kill-child bash "$2" "$3"' \
	start "$group" "$(dirname "${BASH_SOURCE[0]}")/boot.sh" "$work/root" >"$work/boot.log" 2>&1 &
booted=$!
# inside COMMAND…: runs a command on the machine of that systemd.
inside() { nsenter --target "$(pgrep -P "$booted")" --mount --pid env --unset=SYSTEMD_OFFLINE "$@"; }
# finish: ends systemd and removes its control groups.
finish() {
	kill -KILL "$(pgrep -P "$booted")" || true
	wait "$booted" || true
	for ((i = 0; i < 50; i++)); do
		find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && return
		sleep 0.1
	done
}
trap finish EXIT
"$program" pki issue admin test --dir "$work/pki" --out "$work/admin" >/dev/null
export BENCHCTL_TLS_CERT=$work/admin/tls.crt BENCHCTL_TLS_KEY=$work/admin/tls.key BENCHCTL_TLS_CA=$work/admin/ca.crt
# report MESSAGE: ends everything, with what the services wrote.
report() {
	cat "$work/boot.log"
	inside journalctl --no-pager --lines 40 --unit 'benchd-*' || true
	fail "$1"
}
for ((i = 0; ; i++)); do
	/usr/local/bin/benchctl agents >"$work/agents" 2>&1 && grep -q rack=a "$work/agents" && break
	((i < 300)) || report "the agent has not come to its coordinator within a minute: $(<"$work/agents")"
	sleep 0.2
done
cat "$work/agents"
# The agent has joined, so the playbook makes no further token.
play || { cat "$work/played"; report "the playbook fails the second time"; }
echo "second: $(changed) changed"
[[ $(changed) == 0 ]] || { cat "$work/played"; report "the second time it changes something"; }
/usr/local/bin/benchctl submit --db null --duration 2s -p 'actions=500ms hook mark' --wait >"$work/result" 2>&1 ||
	{ cat "$work/result"; report "a run with a hook fails"; }
[[ -e /var/lib/private/benchd-agent/marked ]] || { cat "$work/result"; report "the hook of the settings was not executed"; }
! BENCHCTL_TLS_CERT='' BENCHCTL_TLS_KEY='' BENCHCTL_TLS_CA='' /usr/local/bin/benchctl agents >"$work/refused" 2>&1 ||
	report "a client without a certificate reads the agents"
[[ -n $(ls /var/lib/private/benchd) ]] || report "the archive is not in the state directory"
for unit in coordinator agent; do
	inside systemctl show "benchd-$unit" --property MemoryMax --property TasksMax --property User --property NRestarts >"$work/shown"
	paste -sd' ' "$work/shown"
	! grep -E 'Max=infinity' "$work/shown" || report "$unit is not bounded"
	grep -qx NRestarts=0 "$work/shown" || report "$unit was restarted"
done
