// Package latent finds hidden subgroups: rows that follow other linear laws than most,
// though no column says which they are. It fits a mixture of linear models by expectation
// maximisation, normal errors for numbers whose size may follow the features, logistic for
// two classes, and says of every row how likely it follows each. That is an estimate, not a
// certificate; whether there are such subgroups at all is for package tune to judge, on rows
// not fitted. It may import design alone. Start reading at Single and More.
package latent
