# boot.sh ROOT: becomes systemd, which runs the units of benchd as it would on a machine: with their users, credentials and
# restrictions. Its file system is the caller's, with /proc, /run and temporary folders of its own. It runs in namespaces of mounts,
# processes and control groups of its own, and changes no setting of the kernel.
set -euo pipefail
root=$1

mount --make-rprivate /
mkdir -p "$root"
mount --rbind / "$root"
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t cgroup2 none "$root/sys/fs/cgroup"
# Of the units that start with every machine only the journal is wanted.
for dir in /run /tmp /var/tmp /var/log /usr/lib/systemd/system/sysinit.target.wants /usr/lib/systemd/system-generators; do
	mount -t tmpfs none "$root$dir"
done
cat >"$root/etc/systemd/system/basic.target" <<-END
	[Unit]
	Requires=sysinit.target
	After=sysinit.target
END
cat >"$root/etc/systemd/system/benchd-test.target" <<-END
	[Unit]
	Wants=systemd-journald.service benchd-coordinator.service benchd-agent.service
END

cd "$root"
mkdir -p run/before
pivot_root . run/before
umount -l /run/before
# Credentials reach a service by mounts that propagate.
mount --make-rshared /
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=benchd-test \
	/lib/systemd/systemd --system --unit=benchd-test.target --show-status=no --log-target=journal <>/dev/null >&0 2>&1
