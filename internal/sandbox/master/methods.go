package master

import (
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/rpc"
)

// all are the methods of the sandbox, under the names that clients use.
func (s *Server) all() map[string]method {
	yes := new(true)
	no := new(false)
	return map[string]method{
		"IsMasterRunning":           always(&hbasepb.IsMasterRunningResponse{IsMasterRunning: yes}),
		"IsMasterInMaintenanceMode": always(&hbasepb.IsInMaintenanceModeResponse{InMaintenanceMode: no}),
		"GetClusterStatus":          call(s.clusterStatus),

		"CreateTable":   call(s.createTable),
		"DeleteTable":   call(s.deleteTable),
		"truncateTable": call(s.truncateTable),
		"EnableTable":   call(s.enableTable),
		"DisableTable":  call(s.disableTable),
		"ModifyTable":   call(s.modifyTable),
		"AddColumn":     call(s.addColumn),
		"ModifyColumn":  call(s.modifyColumn),
		"DeleteColumn":  call(s.deleteColumn),
		"FlushTable":    call(s.flushTable),

		"GetTableDescriptors":             call(s.tableDescriptors),
		"GetTableNames":                   call(s.tableNames),
		"GetTableState":                   call(s.tableState),
		"ListTableDescriptorsByState":     call(s.descriptorsByState),
		"ListTableNamesByState":           call(s.namesByState),
		"ListTableDescriptorsByNamespace": call(s.descriptorsByNamespace),
		"ListTableNamesByNamespace":       call(s.namesByNamespace),
		"GetSchemaAlterStatus":            call(s.alterStatus),

		"CreateNamespace":          call(s.createNamespace),
		"ModifyNamespace":          call(s.modifyNamespace),
		"DeleteNamespace":          call(s.deleteNamespace),
		"GetNamespaceDescriptor":   call(s.namespace),
		"ListNamespaces":           call(s.namespaceNames),
		"ListNamespaceDescriptors": call(s.namespaces),

		"MoveRegion":                               call(s.moveRegion),
		"SplitRegion":                              call(s.splitRegion),
		"MergeTableRegions":                        call(s.mergeRegions),
		"getLastMajorCompactionTimestamp":          call(s.lastMajorOfTable),
		"getLastMajorCompactionTimestampForRegion": call(s.lastMajorOfRegion),

		"Balance":                call(s.balance),
		"SetBalancerRunning":     call(s.setBalancer),
		"IsBalancerEnabled":      call(s.isBalancer),
		"SetSplitOrMergeEnabled": call(s.setSplitOrMerge),
		"IsSplitOrMergeEnabled":  call(s.isSplitOrMerge),
		"Normalize":              always(&hbasepb.NormalizeResponse{NormalizerRan: no}),
		"SetNormalizerRunning":   call(s.setNormalizer),
		"IsNormalizerEnabled":    call(s.isNormalizer),

		// These have nothing to do in a sandbox, as in a healthy cluster.
		"RunCatalogScan":          always(&hbasepb.RunCatalogScanResponse{ScanResult: proto.Int32(0)}),
		"EnableCatalogJanitor":    always(&hbasepb.EnableCatalogJanitorResponse{PrevValue: yes}),
		"IsCatalogJanitorEnabled": always(&hbasepb.IsCatalogJanitorEnabledResponse{Value: yes}),
		"RunCleanerChore":         always(&hbasepb.RunCleanerChoreResponse{CleanerChoreRan: yes}),
		"SetCleanerChoreRunning":  always(&hbasepb.SetCleanerChoreRunningResponse{PrevValue: yes}),
		"IsCleanerChoreEnabled":   always(&hbasepb.IsCleanerChoreEnabledResponse{Value: yes}),

		"ExecProcedure":        call(s.execProcedure),
		"ExecProcedureWithRet": call(s.execProcedure),
		"IsProcedureDone":      call(s.isProcedureDone),
		"getProcedureResult":   call(s.procedureResult),
		"AbortProcedure":       always(&hbasepb.AbortProcedureResponse{IsProcedureAborted: no}),

		"Snapshot":              call(s.takeSnapshot),
		"IsSnapshotDone":        call(s.isSnapshotDone),
		"GetCompletedSnapshots": call(s.snapshots),
		"RestoreSnapshot":       call(s.restoreSnapshot),
		"DeleteSnapshot":        call(s.deleteSnapshot),

		"ListDecommissionedRegionServers": always(&hbasepb.ListDecommissionedRegionServersResponse{}),
		"ClearDeadServers":                always(&hbasepb.ClearDeadServersResponse{}),
		"getSecurityCapabilities": always(&hbasepb.SecurityCapabilitiesResponse{
			Capabilities: []hbasepb.SecurityCapability{hbasepb.SecurityCapability_SECURITY_CAPABILITY_SIMPLE_AUTHENTICATION},
		}),
		"ExecMasterService": func(*rpc.Call) (proto.Message, error) {
			return nil, rpc.Finalf(hbase+"exceptions.UnknownProtocolException", "the sandbox has no coprocessors")
		},
	}
}
