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
	benchd_agents: {hosts: {here: {benchd_labels: {rack: a}}}}
EOF
# play ARG…: runs the playbook; its output is in $work/played.
play() {
	ansible-playbook -i "$work/inventory.yml" -e "benchd_release=$release" "$@" "$playbook" >"$work/played" 2>&1
}
# changed: how many tasks changed something.
changed() { sed -nE 's/.* changed=([0-9]+) .*/\1/p' "$work/played"; }

play -e benchd_address=10.0.0.1:7070 && fail "an address beyond the machine was taken although there is no TLS"
grep -q benchd_private_network "$work/played" || { cat "$work/played"; fail "the refusal does not name its cure"; }

play --check --diff || { cat "$work/played"; fail "check mode fails"; }
(($(changed) > 0)) || fail "check mode does not say what it would do"
[[ ! -e /etc/benchd && ! -e /usr/local/bin/benchd && ! -e /etc/systemd/system/benchd-agent.service ]] || fail "check mode changes the machine"

play || { cat "$work/played"; fail "the playbook fails"; }
echo "first: $(changed) changed"
for unit in benchd-coordinator benchd-agent; do
	[[ -L /etc/systemd/system/multi-user.target.wants/$unit.service ]] || fail "$unit does not start with the machine"
done
play || { cat "$work/played"; fail "the playbook fails the second time"; }
echo "second: $(changed) changed"
[[ $(changed) == 0 ]] || { cat "$work/played"; fail "the second time it changes something"; }

systemd-analyze verify --man=no /etc/systemd/system/benchd-{coordinator,agent}.service >"$work/verified" 2>&1 ||
	{ cat "$work/verified"; fail "systemd-analyze verify fails"; }
! grep benchd "$work/verified" || fail "systemd-analyze verify finds something"

# start UNIT: what the unit starts, as systemd would start it.
start() {
	local command
	mkdir -p "$work/state/$1"
	command=$(sed -n 's/^ExecStart=//p' "/etc/systemd/system/$1.service")
	STATE_DIRECTORY=$work/state/$1 bash -c "exec $command" >"$work/$1.log" 2>&1 &
}
start benchd-coordinator
start benchd-agent
for ((i = 0; ; i++)); do
	/usr/local/bin/benchctl agents >"$work/agents" 2>&1 && grep -q rack=a "$work/agents" && break
	((i < 300)) || { cat "$work"/*.log "$work/agents"; fail "the agent has not come to its coordinator within a minute"; }
	sleep 0.2
done
cat "$work/agents"
[[ -n $(ls "$work/state/benchd-coordinator") ]] || fail "the archive is not in the state directory"
