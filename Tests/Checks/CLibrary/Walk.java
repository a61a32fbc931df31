package recorder;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** Replays t,ax,ay,az from standard input through the class of the article on Android. */
final class Walk {
  public static void main(String[] words) throws IOException {
    int walked = 0;
    double steps = 0;
    try (Locomotion locomotion = new Locomotion()) {
      BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
      lines.readLine();
      locomotion.fix(0, new double[] {0, 0, Double.NaN, 5, Double.NaN, -1, -1, -1, -1});
      String line;
      while ((line = lines.readLine()) != null) {
        String[] parts = line.split(",");
        float[][] axes = new float[3][1];
        for (int axis = 0; axis < 3; axis++) axes[axis][0] = Float.parseFloat(parts[axis + 1]);
        long[] times = {(long) (Double.parseDouble(parts[0]) * 1e9)};
        locomotion.accelerations(times, axes[0], axes[1], axes[2]);
        double[] seconds = locomotion.seconds();
        for (int row = 0; row < seconds.length; row += 6) {
          if (seconds[row + 1] == 1) walked++;
          steps += seconds[row + 3];
        }
      }
      if (locomotion.save().length < 1000) throw new AssertionError("a state without content");
      try {
        locomotion.accelerations(new long[2], new float[1], new float[2], new float[2]);
        throw new AssertionError("arrays of unlike lengths are taken");
      } catch (IllegalStateException expected) {
        // As the article says.
      }
    }
    if (walked < 60 || steps < 100) {
      throw new AssertionError("walked " + walked + " s, " + steps + " steps");
    }
  }
}
