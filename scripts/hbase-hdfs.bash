# shellcheck shell=bash disable=SC2034,SC2154 # the variables are those of scripts/hbase, which sources this file
#
# An HDFS below HBase: a namenode and a datanode, whose classes HBase's class path has. scripts/hbase calls the functions in this order:
#
#  1. check_hdfs  checks --hdfs beside other options;
#  2. root_dir    prints the URL of HBase's root folder;
#  3. hdfs_files  writes the configuration of its servers and clients;
#  4. start_hdfs  formats the file system the first time, starts both, and waits until they serve;
#  5. show_hdfs   prints how a client uses it.
#
# Its superuser is the user that runs the script. In /open everybody may write, and in /closed only that user.

check_hdfs() {
	[[ $hdfs == no || -z $secure ]] || fail "--hdfs and --secure do not go together: this HDFS has no Kerberos" 2
}

root_dir() {
	if [[ $hdfs == yes ]]; then
		echo "hdfs://127.0.0.1:$namenode/hbase"
	else
		echo "file://$dir/data/hbase"
	fi
}

hdfs_files() {
	[[ $hdfs == yes ]] || return 0
	# The servers need these folders on the class path; the jars do not have them.
	mkdir -p "$dir"/conf/webapps/{hdfs,datanode}
	{
		echo '<?xml version="1.0"?>'
		echo '<configuration>'
		property fs.defaultFS "hdfs://127.0.0.1:$namenode"
		echo '</configuration>'
	} >"$dir/conf/core-site.xml"
	{
		echo '<?xml version="1.0"?>'
		echo '<configuration>'
		property dfs.namenode.name.dir "file://$dir/data/namenode"
		property dfs.datanode.data.dir "file://$dir/data/datanode"
		property dfs.replication 1
		property dfs.namenode.rpc-address "127.0.0.1:$namenode"
		property dfs.namenode.http-address "127.0.0.1:$((namenode + 1))"
		property dfs.datanode.address "127.0.0.1:$((namenode + 2))"
		property dfs.datanode.http.address "127.0.0.1:$((namenode + 3))"
		property dfs.datanode.ipc.address "127.0.0.1:$((namenode + 4))"
		property dfs.datanode.hostname 127.0.0.1
		property dfs.namenode.safemode.min.datanodes 1
		property dfs.namenode.safemode.extension 0
		# The data is not needed after the processes.
		property dfs.namenode.edits.noeditlogchannelflush true
		echo '</configuration>'
	} >"$dir/conf/hdfs-site.xml"
}

# hadoop CLASS ARGUMENT…: runs a program of Hadoop.
hadoop() {
	"$java" -Xmx128m -Dbenchd.log="$dir/logs/hadoop.log" -cp "$dir/conf:$classpath" "$@" </dev/null >>"$dir/logs/hadoop.out" 2>&1
}

start_hdfs() {
	[[ $hdfs == yes ]] || return 0
	local end=$((SECONDS + patience)) n
	[[ -d $dir/data/namenode ]] || hadoop org.apache.hadoop.hdfs.server.namenode.NameNode -format -nonInteractive ||
		{ tail -n 12 "$dir/logs/hadoop.out" >&2 && fail "HDFS could not be formatted: see above"; }
	launch namenode 256m org.apache.hadoop.hdfs.server.namenode.NameNode
	launch datanode 256m org.apache.hadoop.hdfs.server.datanode.DataNode
	until grep -q 'Safe mode is OFF' "$dir/logs/namenode.log" 2>/dev/null; do
		for n in namenode datanode; do
			pid "$n" >/dev/null || { why "$n" && fail "$n ended while HDFS was starting: see above"; }
		done
		((SECONDS < end)) || { why namenode && fail "HDFS does not serve after $patience s: see above, or give it more time with --wait"; }
		sleep 0.1
	done
	hadoop org.apache.hadoop.fs.FsShell -mkdir -p /open /closed && hadoop org.apache.hadoop.fs.FsShell -chmod 1777 /open ||
		{ tail -n 12 "$dir/logs/hadoop.out" >&2 && fail "the folders of HDFS could not be made: see above"; }
}

show_hdfs() {
	[[ $hdfs == yes ]] || return 0
	cat >&2 <<-END
		  HDFS      hdfs://127.0.0.1:$namenode; /open is a folder in which everybody may write
	END
}
