package mongodbspec

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/property"
)

// option is an option of connection strings.
type option struct {
	name    string // as MongoDB's documentation writes it
	check   func(string) error
	refused string // why it cannot be used, with the cure
	idle    string // why it has no effect
}

const (
	ofAgents = "names a file, and files belong to the machines of the agents: give certificates and authorities to the agents with --target-tls-ca, --target-tls-cert and --target-tls-key, and write tls=true here"
	isSecret = "is a secret, and properties are archived with the results: remove it; certificates and their passwords belong to the agents (--target-tls-cert)"
	noRetry  = "benchd sends each operation once and reports its failure"
	oneWay   = "weakens TLS without a trace in the result: give the agents the authority of the servers with --target-tls-ca"
	ofJava   = "it is an option of YCSB's Java driver"
)

// options lists the options by their names in lower case.
func options() map[string]option {
	millis, count := number(0, 86_400_000), number(0, 100_000)
	list := []option{
		{name: "w", check: checkW},
		{name: "journal", check: boolean},
		{name: "wtimeoutMS", check: millis},
		{name: "readPreference", check: oneOf(readPreferences()...)},
		{name: "readPreferenceTags"},
		{name: "maxStalenessSeconds", check: number(-1, 86_400)},
		{name: "readConcernLevel", check: oneOf(readConcerns()...)},
		{name: "replicaSet"},
		{name: "directConnection", check: boolean},
		{name: "loadBalanced", check: boolean},
		{name: "maxPoolSize", check: count},
		{name: "minPoolSize", check: count},
		{name: "maxConnecting", check: number(1, 1000)},
		{name: "maxIdleTimeMS", check: millis},
		{name: "connectTimeoutMS", check: millis},
		{name: "serverSelectionTimeoutMS", check: number(1, 86_400_000)},
		{name: "heartbeatFrequencyMS", check: number(500, 86_400_000)},
		{name: "serverMonitoringMode", check: oneOf("auto", "poll", "stream")},
		{name: "localThresholdMS", check: millis},
		{name: "compressors", check: checkCompressors},
		{name: "zlibCompressionLevel", check: number(-1, 9)},
		{name: "zstdCompressionLevel", check: number(1, 22)},
		{name: "authSource"},
		{name: "authMechanism", check: oneOf("SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN", "MONGODB-X509")},
		{name: "tls", check: boolean},
		{name: "appName"},
		{name: "srvServiceName"},
		{name: "srvMaxHosts", check: count},

		{name: "retryReads", check: boolean, idle: noRetry},
		{name: "retryWrites", check: boolean, idle: noRetry},
		{name: "waitQueueMultiple", idle: ofJava},
		{name: "waitQueueTimeoutMS", idle: ofJava},
		{name: "maxLifeTimeMS", idle: ofJava},
		{name: "uuidRepresentation", idle: ofJava},

		{name: "timeoutMS", refused: "write mongodb.timeout=MILLISECONDS instead"},
		{name: "socketTimeoutMS", refused: "write mongodb.timeout=MILLISECONDS instead"},
		{name: "tlsCAFile", refused: ofAgents},
		{name: "tlsCertificateKeyFile", refused: ofAgents},
		{name: "tlsCertificateFile", refused: ofAgents},
		{name: "tlsPrivateKeyFile", refused: ofAgents},
		{name: "tlsCertificateKeyFilePassword", refused: isSecret},
		{name: "tlsInsecure", refused: oneWay},
		{name: "tlsAllowInvalidCertificates", refused: oneWay},
		{name: "tlsAllowInvalidHostnames", refused: oneWay},
		{name: "tlsDisableOCSPEndpointCheck", check: boolean},
		{name: "authMechanismProperties", refused: "belongs to Kerberos, AWS and OIDC, which target mongodb does not support: use SCRAM or MONGODB-X509"},
		{name: "proxyHost", refused: "target mongodb connects without a proxy: remove it"},
	}
	all := make(map[string]option, len(list)+2)
	for _, o := range list {
		all[strings.ToLower(o.name)] = o
	}
	all["j"], all["ssl"] = all["journal"], all["tls"]
	return all
}

func number(least, most int64) func(string) error {
	return func(value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < least || n > most {
			return fmt.Errorf("invalid value %s: want an integer from %d to %d", property.Quote(value), least, most)
		}
		return nil
	}
}

func boolean(value string) error {
	_, err := property.ParseBool(value)
	return err //nolint:wrapcheck // the caller names the option
}

func oneOf(list ...string) func(string) error {
	return func(value string) error {
		_, err := property.OneOf(value, list)
		return err //nolint:wrapcheck // the caller names the option
	}
}

// checkW accepts a number of servers, majority, and the name of a write concern of the replica set.
func checkW(value string) error {
	if value == "" {
		return fmt.Errorf("invalid value %s: want a number of servers, such as 1, or majority", property.Quote(value))
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && (n < 0 || n > 50) {
		return fmt.Errorf("invalid value %s: want 0 to 50 servers, or majority", property.Quote(value))
	}
	return nil
}

func checkCompressors(value string) error {
	for one := range strings.SplitSeq(value, ",") {
		if err := oneOf("snappy", "zlib", "zstd")(one); err != nil {
			return err
		}
	}
	return nil
}

func readPreferences() []string {
	return []string{"primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest"}
}

func readConcerns() []string {
	return []string{"local", "available", "majority", "linearizable", "snapshot"}
}
