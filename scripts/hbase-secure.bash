# shellcheck shell=bash disable=SC2034,SC2154 # the variables are those of scripts/hbase, which sources this file
#
# A secured HBase: the KDC of a realm, certificates, what the servers' configuration needs for them, and the folder that a
# client of this HBase needs, DIR/client. scripts/hbase calls the functions in this order:
#
#  1. check_secure       checks --secure and --ticket-life;
#  2. start_kdc          makes the realm and its keytabs the first time, and starts its KDC;
#  3. make_certificates  makes an authority and the certificates of the servers and of a client the first time;
#  4. secure_properties  prints properties of the servers' hbase-site.xml; secure_files writes the other files;
#  5. secure_java        sets java_flags, what each Java process needs;
#  6. show_secure        prints how a client uses it.
#
# The principals are hbase/localhost and HTTP/localhost, of the servers, and alice and bob, who need pre-authentication.
# DIR/kdc/old.keytab has a key of alice that is no longer valid.
realm=BENCHD.TEST

# has PART: succeeds if --secure has it.
has() { [[ ,$secure, == *,$1,* ]]; }

check_secure() {
	local part
	[[ -n $secure ]] || return 0
	for part in ${secure//,/ }; do
		case $part in
		kerberos | tls | tls-only | spnego | https) ;;
		*) fail "--secure takes some of kerberos, tls, tls-only, spnego and https, such as kerberos,tls; not '$part'" 2 ;;
		esac
	done
	! has tls-only || has tls || secure=$secure,tls
	has kerberos || ! has spnego || fail "--secure spnego needs kerberos, too" 2
	[[ $ticket_life =~ ^[1-9][0-9]*[smhd]$ ]] || fail "--ticket-life takes a time such as 30s, 5m or 1d, not '$ticket_life'" 2
}

# kdc_tool COMMAND…: runs a program of Kerberos with the realm's configuration.
kdc_tool() {
	KRB5_CONFIG=$dir/client/krb5.conf KRB5_KDC_PROFILE=$dir/kdc/kdc.conf "$@"
}

# find_kdc: installs the programs of a KDC. They are in /usr/sbin, which is not in every user's path.
find_kdc() {
	PATH=$PATH:/usr/sbin:/sbin
	local p
	for p in krb5kdc:krb5-kdc kadmin.local:krb5-admin-server kinit:krb5-user; do
		"$root/scripts/need" "${p%%:*}" "${p##*:}" >&2 || fail "Kerberos needs ${p%%:*}: install ${p##*:}"
	done
}

start_kdc() {
	has kerberos || return 0
	local kdc=$dir/kdc i
	find_kdc
	mkdir -p "$kdc" "$dir/client" "$dir/pids" "$dir/logs"
	chmod 700 "$kdc" "$dir/client"
	cat >"$dir/client/krb5.conf" <<-END
		[libdefaults]
		    default_realm = $realm
		    dns_lookup_kdc = false
		    dns_lookup_realm = false
		    dns_canonicalize_hostname = false
		    rdns = false
		    udp_preference_limit = 1
		    ticket_lifetime = 1d
		[realms]
		    $realm = {
		        kdc = 127.0.0.1:$kdc_port
		    }
		[domain_realm]
		    localhost = $realm
	END
	cat >"$kdc/kdc.conf" <<-END
		[kdcdefaults]
		    kdc_listen = 127.0.0.1:$kdc_port
		    kdc_tcp_listen = 127.0.0.1:$kdc_port
		[realms]
		    $realm = {
		        database_name = $kdc/principal
		        key_stash_file = $kdc/stash
		        acl_file = $kdc/acl
		        max_life = 1d
		        max_renewable_life = 7d
		        supported_enctypes = aes256-cts-hmac-sha1-96:normal aes128-cts-hmac-sha1-96:normal aes256-cts-hmac-sha384-192:normal
		    }
		[logging]
		    kdc = FILE:$dir/logs/kdc.log
	END
	if [[ ! -e $kdc/servers.keytab ]]; then
		rm -f "$kdc"/principal* "$kdc"/*.keytab
		kdc_tool kdb5_util create -s -r $realm -P "made for tests" >"$kdc/create.log" 2>&1 ||
			{ cat "$kdc/create.log" >&2 && fail "the realm's database could not be made: see above"; }
		kdc_tool kadmin.local >"$kdc/kadmin.log" 2>&1 <<-END
			addprinc -randkey hbase/localhost
			addprinc -randkey HTTP/localhost
			addprinc -randkey +requires_preauth alice
			addprinc -randkey +requires_preauth bob
			ktadd -k $kdc/old.keytab alice
			ktadd -k $kdc/alice.keytab alice
			ktadd -k $kdc/bob.keytab bob
			ktadd -k $kdc/new.keytab hbase/localhost HTTP/localhost
		END
		[[ -s $kdc/new.keytab && -s $kdc/alice.keytab ]] || { cat "$kdc/kadmin.log" >&2 && fail "the realm's keys could not be made: see above"; }
		mv "$kdc/new.keytab" "$kdc/servers.keytab"
	fi
	kdc_tool kadmin.local -q "modprinc -maxlife $ticket_life alice" >"$kdc/life.log" 2>&1
	grep -q modified "$kdc/life.log" || { cat "$kdc/life.log" >&2 && fail "the life of tickets could not be set: see above"; }
	cp "$kdc/alice.keytab" "$dir/client/alice.keytab"
	# The mark is in its name: it takes no argument that means nothing.
	# shellcheck disable=SC2016 # the inner shell expands it
	KRB5_CONFIG=$dir/client/krb5.conf KRB5_KDC_PROFILE=$kdc/kdc.conf nohup bash -c 'exec -a "$1" krb5kdc -n' - "krb5kdc $mark" \
		</dev/null >"$dir/logs/kdc.out" 2>&1 &
	echo $! >"$dir/pids/kdc"
	disown
	for ((i = 0; i < 100; i++)); do
		! listens "$kdc_port" || return 0
		sleep 0.1
	done
	why kdc
	fail "the KDC does not listen on port $kdc_port after 10 s: see above"
}

# certificate NAME USE SAN: makes NAME.pem, a key and its certificate, signed by the authority.
certificate() {
	local tls=$dir/tls
	printf 'subjectAltName=%s\nextendedKeyUsage=%s\n' "$3" "$2" >"$tls/$1.ext"
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$tls/$1.key" -out "$tls/$1.csr" -subj "/CN=$1" &&
		openssl x509 -req -in "$tls/$1.csr" -CA "$tls/ca.pem" -CAkey "$tls/ca.key" -CAcreateserial -days 3650 -extfile "$tls/$1.ext" -out "$tls/$1.crt" &&
		cat "$tls/$1.key" "$tls/$1.crt" >"$tls/$1.pem"
}

# authority NAME: makes NAME.pem and NAME.key, which sign certificates.
authority() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$dir/tls/$1.key" -out "$dir/tls/$1.pem" -days 3650 \
		-subj "/CN=$1" -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
}

make_certificates() {
	has tls || has https || return 0
	local tls=$dir/tls f
	"$root/scripts/need" openssl openssl >&2 || fail "certificates need openssl: install it"
	mkdir -p "$tls" "$dir/client"
	chmod 700 "$tls" "$dir/client"
	if [[ ! -e $tls/client.p12 ]]; then
		echo benchd-p12-password >"$tls/p12-password"
		{
			authority ca && authority other-ca &&
				certificate server serverAuth,clientAuth DNS:localhost,IP:127.0.0.1 &&
				certificate client clientAuth DNS:localhost,IP:127.0.0.1 &&
				openssl pkcs12 -export -inkey "$tls/server.key" -in "$tls/server.crt" -certfile "$tls/ca.pem" -passout "file:$tls/p12-password" -out "$tls/server.p12" &&
				openssl pkcs12 -export -inkey "$tls/client.key" -in "$tls/client.crt" -certfile "$tls/ca.pem" -passout "file:$tls/p12-password" -out "$tls/client.p12"
		} >"$tls/openssl.log" 2>&1 || { cat "$tls/openssl.log" >&2 && fail "the certificates could not be made: see above"; }
	fi
	for f in ca.pem client.pem client.p12 p12-password; do
		cp "$tls/$f" "$dir/client/$f"
	done
	chmod go= "$tls"/* "$dir/client"/*
}

# common_properties: what servers and clients say alike.
common_properties() {
	if has kerberos; then
		property hbase.security.authentication kerberos
		property hbase.master.kerberos.principal "hbase/_HOST@$realm"
		property hbase.regionserver.kerberos.principal "hbase/_HOST@$realm"
		property hbase.rpc.protection authentication,integrity,privacy
	fi
	if has tls; then
		property hbase.client.netty.tls.enabled true
		property hbase.rpc.tls.enabledProtocols TLSv1.3,TLSv1.2
	fi
	! has spnego || property hbase.security.authentication.ui kerberos
	! has https || property hbase.ssl.enabled true
}

secure_properties() {
	[[ -n $secure ]] || return 0
	common_properties
	if has kerberos; then
		property hbase.master.keytab.file "$dir/kdc/servers.keytab"
		property hbase.regionserver.keytab.file "$dir/kdc/servers.keytab"
		property hbase.coprocessor.region.classes org.apache.hadoop.hbase.security.token.TokenProvider
	fi
	if has tls; then
		property hbase.server.netty.tls.enabled true
		property hbase.server.netty.tls.supportplaintext "$(has tls-only && echo false || echo true)"
		property hbase.server.netty.tls.client.auth.mode NEED
		property hbase.rpc.tls.keystore.location "$dir/tls/server.pem"
		property hbase.rpc.tls.truststore.location "$dir/tls/ca.pem"
	fi
	if has spnego; then
		property hbase.security.authentication.spnego.kerberos.principal "HTTP/localhost@$realm"
		property hbase.security.authentication.spnego.kerberos.keytab "$dir/kdc/servers.keytab"
	fi
}

secure_files() {
	[[ -n $secure ]] || return 0
	local conf=$dir/conf client=$dir/client
	mkdir -p "$client"
	{
		echo '<?xml version="1.0"?>'
		echo '<configuration>'
		! has kerberos || property hadoop.security.authentication kerberos
		echo '</configuration>'
	} | tee "$conf/core-site.xml" >"$client/core-site.xml"
	{
		echo '<?xml version="1.0"?>'
		echo '<configuration>'
		property hbase.zookeeper.quorum 127.0.0.1
		property hbase.zookeeper.property.clientPort "$zk"
		property hbase.masters "localhost:$master"
		common_properties
		if has kerberos; then
			property hbase.client.keytab.file "$client/alice.keytab"
			property hbase.client.keytab.principal "alice@$realm"
		fi
		if has tls; then
			property hbase.rpc.tls.keystore.location "$client/client.pem"
			property hbase.rpc.tls.truststore.location "$client/ca.pem"
		fi
		echo '</configuration>'
	} >"$client/hbase-site.xml"
	if has https; then
		{
			echo '<?xml version="1.0"?>'
			echo '<configuration>'
			property ssl.server.keystore.location "$dir/tls/server.p12"
			property ssl.server.keystore.type PKCS12
			property ssl.server.keystore.password "$(<"$dir/tls/p12-password")"
			property ssl.server.keystore.keypassword "$(<"$dir/tls/p12-password")"
			echo '</configuration>'
		} >"$conf/ssl-server.xml"
		chmod go= "$conf/ssl-server.xml"
	fi
}

secure_java() {
	java_flags=()
	! has kerberos || java_flags=("-Djava.security.krb5.conf=$dir/client/krb5.conf")
}

# stop_flags: what the command that stops HBase needs to be let in.
stop_flags() {
	has kerberos || return 0
	printf '%s\n' -D "hbase.client.keytab.file=$dir/kdc/servers.keytab" -D "hbase.client.keytab.principal=hbase/localhost@$realm"
}

show_secure() {
	[[ -n $secure ]] || return 0
	local conf=''
	! has kerberos || conf=" --krb5-conf $dir/client/krb5.conf"
	cat >&2 <<-END
		  secured   $secure; a client of it needs $dir/client: xml files$(! has kerberos || echo ", krb5.conf, a keytab of alice@$realm")$(! has tls || echo ", a certificate and its authority")
		  try       bin/benchctl run --db hbase --hbase-conf $dir/client$conf --phase load,run --threads 8 \\
		              -p recordcount=100000 -p operationcount=100000 -p columnfamily=family
	END
}
