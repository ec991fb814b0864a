// The provider of Terraform and OpenTofu for nodewright.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"nodewright/terraform/provider"
)

// Set by the build, from package.json.
var version = "dev"

func main() {
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address:         "registry.terraform.io/nodewright/nodewright",
		ProtocolVersion: 6,
	})
	if err != nil {
		log.Fatal(err)
	}
}
