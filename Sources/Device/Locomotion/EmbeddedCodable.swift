// `Codable` doesn't exist in Embedded Swift, where states are saved by `StateArchive` alone. Empty
// protocols of that name let each type be declared once.

#if hasFeature(Embedded)
  protocol Codable {}
  protocol CodingKey {}
#endif
