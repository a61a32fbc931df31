internal import Foundation

/// The sport that a type or a name of an activity tells: "running", "Morning Ride", "晨跑".
///
/// A type is a word of a program; a name is what a person wrote, or a program in their language.
/// Words are whole ones, except in languages that are written without spaces. A name that tells two
/// sports of different classes tells none.
enum SportWords {
  /// The sport in lower case, as labels have it; nil when the text tells none, or two.
  static func sport(in text: String) -> String? {
    let words =
      " " + folded(text).split { !$0.isLetter && !$0.isNumber }.joined(separator: " ") + " "
    func has(_ term: String) -> Bool {
      words.contains(isUnspaced(term) ? term : " \(term) ")
    }
    // What means something else is no sport.
    guard !others.contains(where: has) else { return nil }
    let found = sports.filter { $0.terms.contains(where: has) }
    let sure = found.filter { !$0.isVague }
    // A bus ride is one by bus, and a ride and a walk are two.
    let isOnFoot = sure.contains { ["walk", "run"].contains($0.group) }
    let telling = sure.isEmpty || isOnFoot ? found : sure
    guard let first = telling.first, telling.allSatisfy({ $0.group == first.group }) else {
      return nil
    }
    return first.name
  }

  /// Lower case without accents.
  private static func folded(_ text: String) -> String {
    text.lowercased().folding(options: .diacriticInsensitive, locale: nil)
      .map { ["ł": "l", "ø": "o", "æ": "ae"][$0] ?? String($0) }.joined()
  }

  /// The sport in the type of a track, where programs also write Strava's numbers.
  static func sport(ofType text: String) -> String? {
    switch text {
    case "1": "cycling"
    case "9": "running"
    default: sport(in: text)
    }
  }

  private struct Sport {
    var name: String
    /// Those of one group may stand together.
    var group: String
    /// Whether another sport beside it is meant: one rides a bus, and a randonnée may be by
    /// bicycle.
    var isVague = false
    var terms: [String]

    init(_ name: String, _ group: String, isVague: Bool = false, _ terms: String) {
      (self.name, self.group, self.isVague) = (name, group, isVague)
      self.terms = terms.split(separator: "|").map { SportWords.folded(String($0)) }
    }
  }

  /// The more specific ones of a group come first.
  private static let sports: [Sport] = [
    Sport("e-biking", "cycle", "ebike|e bike|ebiking|e biking|pedelec|elcykel|elsykkel"),
    Sport(
      "cycling", "cycle",
      "cycling|biking|bike|bicycle|cycle|mtb|gravel|bikepacking|racebike|racingbike|mountainbike"
        + "|touringbicycle|mountainbiking|radfahren|radfahrt|radtour|fahrrad|rad|fahrradtour"
        + "|fahrradfahren|rennrad|velotour|vélo|vtt|cyclisme|bici|bicicleta|ciclismo|ciclista"
        + "|bicicletta|pedalata|pedalada|pedal|fiets|fietsen|fietstocht|fietsrit|wielrennen|sykkel"
        + "|sykling|sykkeltur|cykel|cykling|cykeltur|cykla|pyöräily|rower|rowerem|rowerze|rowerowa"
        + "|cyklistika|kole|cyklo|велосипед|велосипеде|велопрогулка|велозаезд|вело|骑行|骑车|騎行"
        + "|騎車|单车|單車|自行车|サイクリング|自転車|のライド|라이딩|자전거|사이클"),
    Sport("cycling", "cycle", isVague: true, "ride|riding|rit"),
    Sport(
      "running", "run",
      "run|running|jog|jogging|trailrun|trailrunning|parkrun|marathon|lauf|laufen|dauerlauf"
        + "|morgenlauf|mittagslauf|nachmittagslauf|abendlauf|waldlauf|traillauf|joggen"
        + "|course à pied|footing|carrera|correr|corriendo|trote|corsa|correre|corrida|hardlopen"
        + "|hardloop|hardlooprondje|löpning|löptur|løpetur|løping|joggetur|løb|løbetur|juoksu"
        + "|lenkki|bieg|bieganie|běh|běhání|бег|пробежка|забег|跑步|晨跑|夜跑|慢跑|越野跑|马拉松"
        + "|ランニング|ジョギング|マラソン|달리기|러닝|조깅|마라톤"),
    Sport(
      "hiking", "walk",
      "hike|hiking|wandern|wanderung|bergwanderung|senderismo|bergwandeling|vandring|fottur"
        + "|fjelltur|vandretur|vaellus|wędrówka|поход|徒步|登山|爬山|远足|ハイキング|하이킹|등산"),
    Sport(
      "hiking", "walk", isVague: true,
      "trek|trekking|bergtour|randonnée|rando|escursione|escursionismo|trilha|turistika"),
    Sport(
      "walking", "walk",
      "walk|walking|stroll|spaziergang|gehen|spazieren|marche|caminata|caminar|caminando|marcha"
        + "|camminata|caminhada|wandeling|wandelen|gåtur|spasertur|kävely|spacer|marsz|procházka"
        + "|chůze|прогулка|ходьба|步行|散步|健走|走路|ウォーキング|散歩|걷기|산책"),
    Sport(
      "walking", "walk", isVague: true, "promenade|promenad|balade|paseo|passeio|passeggiata"),
    Sport(
      "car", "drive",
      "drive|driving|car|autofahrt|conduite|voiture|coche|guida|carro|autorit|bilresa|biltur"
        + "|samochód|samochodem|autem|машина|开车|驾车|開車|ドライブ|드라이브|운전"),
    Sport(
      "motorcycle", "drive", "motorcycle|motorcycling|motorbike|motorrad|moto|motocicleta|мотоцикл"),
    Sport("bus", "drive", "bus|autobus|автобус|公交|バス|버스"),
    Sport(
      "train", "train",
      "train|zug|zugfahrt|bahn|bahnfahrt|treno|tren|trem|trein|pociąg|pociągiem|vlak|vlakem|поезд"
        + "|火车|高铁|列車|電車|기차"),
    Sport("metro", "train", "metro|subway|underground|метро|地铁|地下鉄|지하철"),
    Sport("tram", "train", "tram|straßenbahn|трамвай"),
    Sport("skiing", "ski", "ski|skiing|snowboard|snowboarding|langlauf|skitour|лыжи|滑雪|スキー|스키"),
    Sport("swimming", "swim", "swim|swimming|schwimmen|natation|nuoto|游泳|水泳|수영"),
    Sport("rowing", "row", "rowing|rudern|aviron|kayaking|kayak|kajak|canoe|paddling"),
    Sport("sailing", "sail", "sailing|sail|segeln|voile|vela|zeilen"),
    Sport("flying", "fly", "flying|flight|flug|paragliding|gliding"),
    Sport("skating", "skate", "skating|skate|rollerblading"),
    Sport("horse-riding", "horse", "horse|horseback|reiten|ausritt|cheval|équitation"),
  ]

  /// Phrases with a word of a sport that mean no one's sport.
  private static let others = [
    "school run", "dry run", "test run", "en train de", "hard drive", "bike shop", "car park",
    "train station", "bus stop",
  ]

  /// Whether a term is of a language that has no spaces between words.
  private static func isUnspaced(_ term: String) -> Bool {
    (term.unicodeScalars.first?.value ?? 0) >= 0x2E80
  }
}
