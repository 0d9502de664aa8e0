package hbasespec

// replicationKey is the property with the replicas of a region of a table that is created.
const replicationKey = "hbase.regionreplication"

// MostReplicas is the largest number of replicas of a region.
const MostReplicas = 16
