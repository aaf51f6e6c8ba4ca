package chat

// Tags are what a model's reasoning stands between.
type Tags struct{ Open, Close string }

func tagsOf(template string) Tags { return Tags{} }
