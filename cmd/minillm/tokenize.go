package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"example.com/minillm/tokenizer"
)

func newTokenize() *cobra.Command {
	var model sourceFlags
	var special, decode bool
	cmd := &cobra.Command{
		Use:   "tokenize TEXT",
		Short: "Print the token ids of a text as JSON, or the text of ids (- reads from standard input)",
		Args:  exactly(1, "one text"),
		RunE: func(cmd *cobra.Command, args []string) error {
			src, err := model.find(cmd.Context())
			if err != nil {
				return err
			}
			t, err := src.tokenizer()
			if err != nil {
				return err
			}
			input, err := text(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if decode {
				return printText(t, input)
			}
			return printIDs(t, input, special)
		},
	}
	model.register(cmd)
	cmd.Flags().BoolVar(&special, "special", false, "recognise control tokens that are spelled out in the text")
	cmd.Flags().BoolVar(&decode, "decode", false, "TEXT is a JSON array of ids; print their text")
	return cmd
}

func printIDs(t tokenizer.Tokenizer, text string, special bool) error {
	ids := []int32{} // an empty text is [], not null
	if special {
		ids = t.EncodeSpecial(ids, text)
	} else {
		ids = t.Encode(ids, text)
	}
	return printed(json.NewEncoder(os.Stdout).Encode(ids))
}

func printText(t tokenizer.Tokenizer, input string) error {
	var ids []int32
	if err := json.Unmarshal([]byte(input), &ids); err != nil {
		return usagef("--decode wants a JSON array of ids such as [1,2,3]: %w", err)
	}
	for _, id := range ids {
		if id < 0 || int(id) >= t.Size() {
			return usagef("id %d is outside the vocabulary of %d", id, t.Size())
		}
	}
	_, err := fmt.Println(string(t.Decode(nil, ids...)))
	return printed(err)
}
