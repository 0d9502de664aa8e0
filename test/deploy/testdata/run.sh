# run.sh IMAGE WORK USER ENTRY COORDINATOR… -- AGENT…: starts coordinator and agent from an image, each in a root of its own as a
# container engine makes it: read-only but for its volume and /tmp, an ordinary user without any privilege, the names of the
# network in /etc/hosts. Ports are the namespace's own, so they are those of the deployment. With SECRETS, those that coordinator and
# agent mount at /etc/benchd/tls, the COMMANDS of the documentation make certificates and Secrets, by the image's own benchd and a kubectl
# that writes files. Otherwise they share a volume for a unix socket, and have the VARIABLES, NAME=VALUE…. The agent must end with ENDS.
set -euo pipefail
image=$1 work=$2 user=$3 entry=$4
shift 4
coordinator=()
while [[ $1 != -- ]]; do
	coordinator+=("$1")
	shift
done
shift

# fail MESSAGE: ends everything, and the processes with it.
fail() {
	echo "run: $1"
	tail -n 20 "$work"/*.log
	exit 1
}

read -ra variables <<<"${VARIABLES:-}"
read -ra secrets <<<"${SECRETS:-}"
# With certificates benchctl is an admin.
if ((${#secrets[@]})); then
	admin=/etc/benchd/admin
	variables=("BENCHCTL_TLS_CERT=$admin/tls.crt" "BENCHCTL_TLS_KEY=$admin/tls.key" "BENCHCTL_TLS_CA=$admin/ca.crt")
fi

mount --make-rprivate /
ip link set lo up

# own: the options of a volume for the user of the image.
own="mode=0700,uid=${user%:*},gid=${user#*:}"
mkdir "$work/socket"
mount -t tmpfs -o "$own" none "$work/socket"

# contain NAME [SECRET]: makes a container's root at WORK/NAME.
contain() {
	local root=$work/$1
	cp -a "$image" "$root"
	mkdir -p "$root"/{proc,dev}
	printf '127.0.0.1 localhost coordinator benchd-coordinator\n' >"$root/etc/hosts"
	if [[ -n ${2:-} ]]; then
		mkdir -p "$root/etc/benchd" && cp -a "$work/secrets/$2" "$root/etc/benchd/tls"
		cp -a "$work/issued/admin" "$root/etc/benchd/admin"
	else
		mkdir -p "$root/run/benchd"
	fi
	mount --bind "$root" "$root"
	mount -o remount,bind,ro "$root"
	mount -t proc proc "$root/proc"
	mount -t tmpfs -o mode=1777 none "$root/tmp"
	mount -t tmpfs -o "$own" none "$root/var/lib/benchd"
	[[ -n ${2:-} ]] || mount --bind "$work/socket" "$root/run/benchd"
}

# enter NAME COMMAND…: becomes a command in a container.
enter() {
	local root=$work/$1
	shift
	exec setpriv --no-new-privs env -i PATH=/usr/local/bin "${variables[@]}" "$(command -v chroot)" --userspec="$user" --groups= "$root" "$@"
}

# inside NAME COMMAND…: runs a command in a container.
inside() { (enter "$@"); }

# benchd ARG…: the program of the image, for the documented commands.
benchd() { "$image$entry" "$@"; }

# kubectl ARG…: makes a Secret as a folder, SECRETS/NAME, of the files that it is made from. Other commands do nothing.
kubectl() {
	local arg source secret=''
	[[ " $* " == *' create secret generic '* ]] || return 0
	for arg; do
		case $arg in
		--from-file=*)
			source=${arg#*=}
			[[ -d $source ]] && cp "$source"/* "$secret" || cp "$source" "$secret"
			;;
		-n | benchd | create | secret | generic) ;;
		*) secret=$work/secrets/$arg && mkdir "$secret" ;;
		esac
	done
}

# issue: makes certificates and Secrets by the documented commands. The kubelet gives files of Secrets to the group of the pod.
issue() {
	mkdir "$work/secrets" "$work/issued"
	cd "$work/issued"
	USER=test
	# shellcheck disable=SC1090
	source "$COMMANDS"
	cd /
	chown -R "0:${user#*:}" "$work/secrets" "$work/issued/admin"
	chmod -R u=rX,g=rX,o= "$work/secrets" "$work/issued/admin"
}

# answers PORT PATH: whether HTTP says 200. As a probe of Kubernetes it verifies nothing.
answers() {
	local line
	((${#secrets[@]} == 0)) || { curl --silent --insecure --fail --max-time 5 --output /dev/null "https://127.0.0.1:$1$2"; return; }
	exec 3<>"/dev/tcp/127.0.0.1/$1" || return
	printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&3
	read -r line <&3
	exec 3>&-
	[[ $line == *' 200 '* ]]
} 2>/dev/null

# listed: whether the coordinator lists an agent; port is then the free one that it took.
listed() { port=$(curl --silent --fail --noproxy "*" --max-time 5 http://127.0.0.1:7071/sd/agents | grep -oP '127\.0\.0\.1:\K[0-9]+'); }

# await SAYING COMMAND…: waits a minute for a command to succeed.
await() {
	local i saying=$1
	shift
	for ((i = 0; i < 300; i++)); do
		! "$@" || return 0
		sleep 0.2
	done
	fail "$saying"
}

((${#secrets[@]} == 0)) || issue
contain coordinator "${secrets[0]:-}"
contain agent "${secrets[1]:-}"
! inside coordinator "$entry" coordinator --data /data >"$work/readonly.log" 2>&1 || fail "the root file system can be written to"
grep -q 'read-only file system' "$work/readonly.log" || fail "writing outside of the volumes does not fail by the root being read-only"

enter coordinator "$entry" "${coordinator[@]}" >"$work/coordinator.log" 2>&1 &
first=$!
await "the coordinator is not ready" answers 7071 /readyz
answers 7071 /healthz || fail "the coordinator has no /healthz"
enter agent "$entry" "$@" >"$work/agent.log" 2>&1 &
second=$!
port=7072
[[ " $* " != *:0\ * ]] || await "the coordinator lists no agent" listed
await "the agent is not ready" answers "$port" /readyz
answers "$port" /healthz || fail "the agent has no /healthz"
((${#secrets[@]} == 0)) || ! answers 7071 /metrics || fail "a peer without a certificate reads metrics"
inside coordinator /usr/local/bin/benchctl agents || fail "benchctl agents fails"
inside coordinator /usr/local/bin/benchctl submit --db null --duration 1s --wait >"$work/result" 2>"$work/submit.log" || fail "a run fails"
tail -n 3 "$work/result"
for line in "Uid:	${user%:*}	${user%:*}	${user%:*}	${user%:*}" "CapEff:	0000000000000000" "NoNewPrivs:	1"; do
	grep -qxF "$line" "/proc/$first/status" || fail "the coordinator's process is not: $line"
done

kill -TERM "$second" "$first"
code=0
wait "$second" || code=$?
((code == ${ENDS:-0})) || fail "the agent ends with exit code $code"
wait "$first" || fail "the coordinator ends with exit code $?"
