package serve

import "context"

type tenantKey struct{}

// WithTenant returns a context whose requests count as name's, where they name
// no tenant themselves. What tells clients apart, such as a check of API keys
// in front of the handlers, calls it.
func WithTenant(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, tenantKey{}, name)
}

// tenant returns name, or where it is empty the tenant of ctx.
func tenant(ctx context.Context, name string) string {
	if name == "" {
		name, _ = ctx.Value(tenantKey{}).(string)
	}
	return name
}
