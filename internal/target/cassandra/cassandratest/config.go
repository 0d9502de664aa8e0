package cassandratest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// configure writes cassandra.yaml and the configuration of the log.
func (s *Server) configure() error {
	for name, content := range map[string]string{"cassandra.yaml": s.yaml(), "logback.xml": logback} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600); err != nil {
			return fmt.Errorf("configure Cassandra: %w", err)
		}
	}
	return nil
}

// logback logs what Cassandra's own configuration does, to the standard output.
const logback = `<configuration>
  <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%-5level %date{ISO8601} %logger{20} - %msg%n</pattern></encoder></appender>
  <root level="INFO"><appender-ref ref="OUT"/></root>
  <logger name="io.netty" level="WARN"/>
</configuration>
`

// yaml returns the configuration of a node of its own.
func (s *Server) yaml() string {
	settings := map[string]string{
		"cluster_name": "benchd test", "num_tokens": "1", "start_native_transport": "true", "partitioner": "org.apache.cassandra.dht.Murmur3Partitioner",
		"listen_address": "127.0.0.1", "rpc_address": "127.0.0.1", "endpoint_snitch": "SimpleSnitch",
		"storage_port": strconv.Itoa(s.StoragePort), "ssl_storage_port": strconv.Itoa(s.StoragePort), "native_transport_port": strconv.Itoa(s.Port),
		"commitlog_sync": "periodic", "commitlog_sync_period": "10000ms", "commitlog_segment_size": "8MiB",
		"data_file_directories": "[" + filepath.Join(s.dir, "data") + "]", "commitlog_directory": filepath.Join(s.dir, "commitlog"),
		"saved_caches_directory": filepath.Join(s.dir, "caches"), "hints_directory": filepath.Join(s.dir, "hints"), "cdc_raw_directory": filepath.Join(s.dir, "cdc"),
		"concurrent_reads": "16", "concurrent_writes": "16", "concurrent_compactors": "1", "memtable_heap_space": "64MiB", "memtable_offheap_space": "64MiB",
		"file_cache_size": "64MiB", "networking_cache_size": "32MiB", "auto_snapshot": "false", "disk_access_mode": "standard",
		"authenticator": "AllowAllAuthenticator", "authorizer": "AllowAllAuthorizer", "memtable_allocation_type": "heap_buffers",
	}
	if s.options.Password {
		settings["authenticator"], settings["authorizer"] = "PasswordAuthenticator", "CassandraAuthorizer"
	}
	maps.Copy(settings, s.options.Settings)
	maps.DeleteFunc(settings, func(_, value string) bool { return value == "" })
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "%s: %s\n", name, settings[name])
	}
	fmt.Fprintf(&b, "seed_provider:\n  - class_name: org.apache.cassandra.locator.SimpleSeedProvider\n    parameters:\n      - seeds: \"127.0.0.1:%d\"\n", s.StoragePort)
	if s.options.TLS {
		fmt.Fprintf(&b, "client_encryption_options:\n  enabled: true\n  optional: false\n  ssl_context_factory:\n    class_name: org.apache.cassandra.security.PEMBasedSslContextFactory\n  keystore: %s\n",
			filepath.Join(s.dir, serverPEM))
	}
	return b.String()
}

// arguments returns the arguments of Java. Cassandra 5 documents the exports and opens for Java 17.
func (s *Server) arguments() []string {
	args := []string{
		"-Xms128M", "-Xmx" + s.options.Heap, "-Xss512k", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=256M", "-XX:TieredStopAtLevel=4",
		"-javaagent:" + s.agent(), "-Djdk.attach.allowAttachSelf=true",
		"-Dcassandra.config=file://" + filepath.Join(s.dir, "cassandra.yaml"), "-Dcassandra.storagedir=" + s.dir,
		"-Dlogback.configurationFile=" + filepath.Join(s.dir, "logback.xml"),
		"-Dcassandra-foreground=true", "-Dcassandra.skip_wait_for_gossip_to_settle=0", "-Dcassandra.ring_delay_ms=100", "-Dcassandra.superuser_setup_delay_ms=0",
	}
	for _, export := range []string{
		"java.base/jdk.internal.misc", "java.base/jdk.internal.ref", "java.base/java.lang.ref", "java.base/sun.nio.ch", "java.management/com.sun.jmx.remote.security",
		"java.rmi/sun.rmi.registry", "java.rmi/sun.rmi.server", "java.rmi/sun.rmi.transport.tcp", "java.sql/java.sql", "jdk.unsupported/sun.misc",
	} {
		args = append(args, "--add-exports="+export+"=ALL-UNNAMED")
	}
	for _, open := range []string{
		"java.base/java.lang", "java.base/java.lang.module", "java.base/java.lang.reflect", "java.base/java.io", "java.base/java.nio", "java.base/java.util",
		"java.base/java.util.concurrent", "java.base/java.util.concurrent.atomic", "java.base/jdk.internal.loader", "java.base/jdk.internal.math",
		"java.base/jdk.internal.module", "java.base/jdk.internal.ref", "java.base/jdk.internal.reflect", "java.base/jdk.internal.util.jar",
		"java.base/sun.nio.ch", "java.rmi/sun.rmi.transport.tcp", "jdk.management/com.sun.management.internal",
	} {
		args = append(args, "--add-opens="+open+"=ALL-UNNAMED")
	}
	if s.JolokiaPort > 0 {
		args = append(args, fmt.Sprintf("-javaagent:%s=port=%d,host=127.0.0.1,discoveryEnabled=false", s.jolokia, s.JolokiaPort))
	}
	return append(args, "-cp", filepath.Join(s.jars, "*"), "org.apache.cassandra.service.CassandraDaemon")
}

// agent returns the Java agent with which Cassandra measures objects.
func (s *Server) agent() string {
	found, _ := filepath.Glob(filepath.Join(s.jars, "jamm-*.jar"))
	if len(found) == 0 {
		return ""
	}
	return found[0]
}
