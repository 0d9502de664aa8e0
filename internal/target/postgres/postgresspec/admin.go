package postgresspec

import "github.com/benchd/benchd/internal/descriptor"

// admin describes the commands of `benchctl admin postgres`.
func admin() descriptor.Admin {
	return descriptor.Admin{
		Short: "Administer a PostgreSQL: analyze, vacuum, checkpoint, count and more",
		Long: `Postgres administers a PostgreSQL server. Its address is given by -p postgres.host=HOST[:PORT] and -p postgres.database=NAME, or by
-p db.url=URL; the default is the agent's own machine.

TABLE defaults to the property table, which is usertable by default.`,
		Example: `  benchctl admin postgres tables -p postgres.host=db1 -p postgres.password=file:postgres
  benchctl admin postgres vacuum usertable && benchctl admin postgres checkpoint
  benchctl admin postgres count usertable --local -o json | jq '.rows[0][1]'`,
	}
}
