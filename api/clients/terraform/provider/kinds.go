package provider

// A kind of record is a resource and a data source. Its attributes are the properties that the OpenAPI document declares for the bodies of
// its operations; this table adds what a document cannot say.
type kind struct {
	// Of the resource, after the prefix.
	name string
	// Ids of operations.
	create, read, change, remove, list string
	// Property of the record that is in its path.
	key string
	// Property by which a person finds it; unique only where it is the key.
	called string
	// Values that the daemon uses for absent properties.
	defaults map[string]any
	// Properties that are aliases, or have another way.
	omit []string
	// Lists whose order has no meaning.
	sets []string
	// Texts that the daemon writes in lower case.
	folded []string
	// Properties with secrets; `hidden` ones are never returned.
	secret, hidden []string
	// Properties of which a record has one: another one needs another record.
	exclusive []string
	// Properties that are changed by requests of their own, with `amend`.
	amended []string
	// How to compare a property that is returned in another form.
	same map[string]func(mine, theirs any) bool
	// Set if the body is one free value: the name of the attribute that has it.
	whole string
	// Makes a record complete by further requests.
	complete func(call, map[string]any) error
	// Sends changes of the amended properties.
	amend func(c call, id string, before, after map[string]any) error
	// Asks the daemon whether a planned record is right.
	check func(call, map[string]any) (refused, doubted []string)
}

var kinds = []kind{
	{
		name:   "node",
		create: "createNode", read: "getNode", change: "changeNode", remove: "removeNode", list: "listNodes",
		key: "id", called: "name",
		defaults: map[string]any{"autoDiscover": false},
		omit:     []string{"autodiscover"},
		sets:     []string{"identifiers", "tags"},
		folded:   []string{"identifiers"},
		secret:   []string{"obms"},
		amended:  []string{"obms", "relations"},
		same:     map[string]func(mine, theirs any) bool{"obms": sameObms, "relations": sameRelations},
		complete: withObms,
		amend:    amendNode,
	},
	{
		name:   "sku",
		create: "createSku", read: "getSku", change: "changeSku", remove: "removeSku", list: "listSkus",
		key: "id", called: "name",
	},
	{
		name:   "graph",
		create: "putGraph", read: "getGraph", change: "putGraph", remove: "removeGraph", list: "listGraphs",
		key: "injectableName", called: "injectableName",
		whole: "definition",
		check: checkGraph,
	},
	{
		name:   "hook",
		create: "createHook", read: "getHook", change: "changeHook", remove: "removeHook", list: "listHooks",
		key: "id", called: "name",
		defaults: map[string]any{"filters": []any{}, "rejectUnauthorized": true},
		secret:   []string{"secret"},
		hidden:   []string{"secret"},
	},
	{
		name:   "window",
		create: "createWindow", read: "getWindow", change: "changeWindow", remove: "removeWindow", list: "listWindows",
		key: "id", called: "name",
		defaults: map[string]any{"closed": []any{}, "leadMinutes": 0},
	},
	{
		name:   "schedule",
		create: "createSchedule", read: "getSchedule", change: "changeSchedule", remove: "removeSchedule", list: "listSchedules",
		key: "id", called: "name",
		defaults:  map[string]any{"overlap": "skip", "missed": "run", "paused": false},
		exclusive: []string{"launch", "rollout"},
	},
	{
		name:   "role",
		create: "createRole", read: "getRole", change: "changeRole", remove: "removeRole", list: "listRoles",
		key: "role", called: "role",
	},
}
